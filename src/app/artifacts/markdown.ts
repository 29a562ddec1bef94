import { decodeHTMLStrict } from "entities/decode"
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

/** Replaces the entities of a text by their characters. Marked leaves them to the browser, which never parses this text as HTML. */
export function decodeEntities(text: string): string {
  return decodeHTMLStrict(text)
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
