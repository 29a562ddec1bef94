import { decodeHTMLStrict } from "entities/decode"
import { Lexer, type MarkedToken, type Token } from "marked"

/** The deepest nesting of quotes and lists that is parsed. A text that is nested deeper was made to break a reader. */
const DEPTH_MAX = 40
const DEEP = new RegExp(`^(?:[ \\t]*(?:>|[-*+]|\\d{1,9}[.)])){${DEPTH_MAX}}`, "m")

/**
 * Limits for marked, whose time grows with the square of the marks in a paragraph (200 kB of `_a`: 55 s). A paragraph with more marks is shown
 * as it was written, and so is every paragraph after `BUDGET_MS`.
 */
const MARKS_MAX = 1_000
const INLINE_CHARACTERS_MAX = 20_000
const BUDGET_MS = 400

/** The tokens of a Markdown text; undefined where it cannot be parsed. Then it is shown as text. */
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

/** The types of marked's own tokens. Without extensions there are no others. */
export function markedTokens(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return (tokens ?? []) as readonly MarkedToken[]
}

/** Replaces the entities of a text by their characters. Marked leaves this to the browser, which never parses this text as HTML. */
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
