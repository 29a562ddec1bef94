import { Lexer, type MarkedToken, type Token } from "marked"

/** How deep quotes and lists may lie in each other: deeper is made to break a reader, not to be read. */
const DEPTH_MAX = 40

/** The tokens of a Markdown text, or undefined where it cannot be read as such: it is then shown as text. */
export function readMarkdown(text: string): readonly MarkedToken[] | undefined {
  try {
    const tokens = markedTokens(new Lexer({ gfm: true }).lex(text))
    return depthOf(tokens) > DEPTH_MAX ? undefined : tokens
  } catch {
    return undefined
  }
}

/** The tokens as marked's own: without extensions there are no others. */
export function markedTokens(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return (tokens ?? []) as readonly MarkedToken[]
}

/** The entities that people write by hand; marked leaves them to the browser, which never sees this as markup. */
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  copy: "©",
  hellip: "…",
  ndash: "–",
  mdash: "—",
}

/** Replaces the entities of a text by their characters; one that is not known stays as it was written. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name: string | undefined) => {
    if (name !== undefined) return (Object.hasOwn(entities, name) ? entities[name] : undefined) ?? whole
    const codePoint = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal)
    return codePoint > 0 && codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : whole
  })
}

function depthOf(tokens: readonly MarkedToken[]): number {
  let deepest = 0
  for (const token of tokens) {
    const inner =
      token.type === "list" ? token.items.flatMap((item) => item.tokens) : "tokens" in token ? token.tokens : []
    if (inner !== undefined && inner.length > 0) deepest = Math.max(deepest, depthOf(markedTokens(inner)) + 1)
  }
  return deepest
}
