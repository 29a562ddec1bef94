import { Lexer, Tokenizer } from "marked"
import type { Token, Tokens, TokensList } from "marked"

/** The most levels of quotes and lists within each other. Deeper levels are read as plain text. */
const MOST_NESTED = 8

/**
 * The most headings, paragraphs, list entries and empty lines. With more of them the blocks have ten bytes on average, so no person wrote
 * them.
 */
const MOST_BLOCKS = 10_000

/** The most characters that marked may read again while it looks for blocks. Each takes about 10 ns. */
const MOST_BLOCK_STEPS = 2e6

/** The most pairs of a mark and a character of its passage. marked compares each pair, which takes about 0.5 ns. */
const MOST_INLINE_STEPS = 1e8

/** A longer word is an encoded file, or an attack. marked looks for an address at each character of a word. */
const LONGEST_WORD = 1000

/** Thrown for a text that marked would need seconds or minutes for. No person writes such a text. */
export class TooCostly extends Error {}

/**
 * Gives the tokens of the top level of a Markdown text. Their raw texts together are the source. The work is bounded, because the text may
 * be hostile: a passage with too many marks is plain text.
 * @throws TooCostly when it would take too long to find the blocks
 */
export function lex(source: string): TokensList {
  return new BoundedLexer({ gfm: true, tokenizer: new BoundedTokenizer() }).lex(source)
}

class BoundedLexer extends Lexer {
  #depth = 0
  #steps = 0

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    if (this.#depth === MOST_NESTED) {
      tokens.push({ type: "paragraph", raw: source, text: source, tokens: [plainText(source)] })
      return tokens
    }
    this.#depth += 1
    try {
      return super.blockTokens(source, tokens, lastParagraphClipped)
    } finally {
      this.#depth -= 1
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    this.#steps += source.length * marksIn(source)
    if (this.#steps <= MOST_INLINE_STEPS) return super.inlineTokens(source, tokens)
    tokens.push(plainText(source))
    return tokens
  }
}

class BoundedTokenizer extends Tokenizer {
  #steps = 0
  #quotes = 0
  #blocks = 0

  /** marked looks for an empty line first, so it calls this once for each block. */
  override space(source: string): Tokens.Space | undefined {
    this.#blocks += 1
    if (this.#blocks > MOST_BLOCKS) throw new TooCostly()
    return super.space(source)
  }

  /** marked looks for an underline in the rest of a paragraph, and in a list it does so at each line. */
  override lheading(source: string): Tokens.Heading | undefined {
    const heading = super.lheading(source)
    if (heading === undefined) this.#spend(paragraphOf(source).length)
    return heading
  }

  /** marked reads the rest of a paragraph before it sees that the first two lines are no table. */
  override table(source: string): Tokens.Table | undefined {
    if (!DELIMITER_ROW.test(source.split("\n", 2)[1] ?? "")) return undefined
    const table = super.table(source)
    if (table === undefined) this.#spend(paragraphOf(source).length)
    return table
  }

  /** A table ends a paragraph, so marked looks for a table at each line that could be its second line. */
  override paragraph(source: string): Tokens.Paragraph | undefined {
    const paragraph = paragraphOf(source)
    this.#spend(paragraph.length * (paragraph.split("\n").filter((line) => DELIMITER_ROW.test(line)).length + 1))
    return super.paragraph(source)
  }

  override list(source: string): Tokens.List | undefined {
    const list = super.list(source)
    // marked reads a list in a quote, and the rest of the text, again when a line without a mark follows.
    this.#spend(this.#quotes > 0 ? source.length / 8 : (list?.raw.length ?? 0))
    return list
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    this.#quotes += 1
    const quote = super.blockquote(source)
    this.#quotes -= 1
    this.#spend(quote?.raw.length ?? 0)
    return quote
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > MOST_BLOCK_STEPS) throw new TooCostly()
  }
}

const DELIMITER_ROW = /^[ \t|:-]*$/

/** The text up to the next empty line. */
function paragraphOf(source: string): string {
  const end = source.search(/\n[ \t]*\n/)
  return end < 0 ? source : source.slice(0, end)
}

function plainText(source: string): Tokens.Text {
  return { type: "text", raw: source, text: source, escaped: false }
}

function marksIn(source: string): number {
  const marks = source.match(/[[\]()*_`<>~\\!@&|]/g)?.length ?? 0
  if (source.length <= LONGEST_WORD) return marks
  return marks + source.split(/\s+/).reduce((sum, word) => sum + (word.length > LONGEST_WORD ? word.length : 0), 0)
}
