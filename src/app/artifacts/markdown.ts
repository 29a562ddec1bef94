import { Lexer, type MarkedToken, type Token } from "marked"

/** How deep quotes and lists may lie in each other: deeper is made to break a reader, not to be read. */
const DEPTH_MAX = 40
const DEEP = new RegExp(`^(?:[ \\t]*(?:>|[-*+]|\\d{1,9}[.)])){${DEPTH_MAX}}`, "m")

/**
 * Marked takes time with the square of the marks in a paragraph (200 kB of `_a`: 55 s): a paragraph with more of them than
 * anybody writes, and everything once the budget is used up, is left as it was written.
 */
const MARKS_MAX = 1_000
const INLINE_CHARACTERS_MAX = 20_000
const BUDGET_MS = 400

/** The tokens of a Markdown text, or undefined where it cannot be read as such: it is then shown as text. */
export function readMarkdown(text: string): readonly MarkedToken[] | undefined {
  if (DEEP.test(text)) return undefined
  const until = performance.now() + BUDGET_MS
  try {
    const lexer = new Lexer({ gfm: true })
    lexer.blockTokens(text.replaceAll(/\r\n?/g, "\n"), lexer.tokens)
    for (const { src, tokens } of lexer.inlineQueue) {
      if (isCostly(src) || performance.now() > until) tokens.push({ type: "escape", raw: src, text: src })
      else lexer.inlineTokens(src, tokens)
    }
    const tokens = markedTokens(lexer.tokens)
    return depthOf(tokens) > DEPTH_MAX ? undefined : tokens
  } catch {
    return undefined
  }
}

function isCostly(text: string): boolean {
  return text.length > INLINE_CHARACTERS_MAX || (text.match(/[_*~`[\]<&@:]/g)?.length ?? 0) > MARKS_MAX
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
