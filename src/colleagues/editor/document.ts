import { Lexer } from "marked"
import type { Token, Tokens, TokensList } from "marked"
import type { Input } from "../colleague.ts"

/** A text as the editor sees it. Lines are counted from 1, as every text editor counts them. */
export type Text = {
  readonly name: string
  readonly format: "Markdown" | "plain text"
  /** Line feeds only, and no byte order mark. */
  readonly source: string
  /** The source with everything that is no prose (code, HTML, addresses) blanked, at the same offsets and lines. */
  readonly prose: string
  /** The lines of code, HTML and front matter, from 1: nobody edits them. */
  readonly kept: ReadonlySet<number>
  readonly headings: readonly Heading[]
  readonly blocks: readonly Block[]
  readonly links: readonly Link[]
  readonly codeBlocks: number
}

export type Heading = { readonly level: number; readonly text: string; readonly line: number }

/** A paragraph, a list entry or a table: what sentences do not reach across. `line` is where it begins. */
export type Block = { readonly kind: "heading" | "paragraph" | "table"; readonly text: string; readonly line: number }

export type Link = {
  readonly kind: "link" | "image"
  readonly text: string
  readonly target: string
  /** The address itself stands in the text, without brackets. */
  readonly bare: boolean
  readonly line: number
}

export type Unreadable = { readonly name: string; readonly reason: string }

/** Reads an input as a text. `reason` is a whole sentence where it is none. */
export function readText(input: Pick<Input, "name" | "mediaType" | "content">): Text | Unreadable {
  const { name, mediaType } = input
  const source = input.content.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  if (source.trim() === "") return { name, reason: "It holds nothing but blanks." }
  if (source.includes("\u0000")) return { name, reason: "It holds zero bytes, as binary files do." }
  if (mediaType === "text/csv" || mediaType === "application/json") {
    const what = mediaType === "text/csv" ? "CSV" : "JSON"
    return { name, reason: `It is ${what}, which is data and not a text to edit; the analyst works on those.` }
  }
  try {
    const isMarkdown = mediaType === "text/markdown" || /\.(?:md|markdown)$/i.test(name)
    return isMarkdown && !tangled(source) ? markdownText(name, source) : plainText(name, source)
  } catch (error) {
    // Thousands of nested quotes or lists fit into 100 kB and end the engine's stack.
    if (error instanceof RangeError) return { name, reason: "It is nested too deeply to be read as Markdown." }
    throw error
  }
}

/**
 * Inline Markdown is parsed in the square of the marks in a passage: 100,000 brackets keep the parser busy for 20 seconds, and the
 * service with it. Such a text is no Markdown that anybody wrote, and is read as plain text.
 */
function tangled(source: string): boolean {
  return source.split(/\n[ \t]*\n/).some((passage) => (passage.match(/[[*_`<~\\]/g)?.length ?? 0) > MOST_MARKS)
}

const MOST_MARKS = 5000

function plainText(name: string, source: string): Text {
  const blocks: Block[] = []
  let line = 1
  for (const part of source.split(/(\n\s*\n)/)) {
    if (part.trim() !== "")
      blocks.push({
        kind: "paragraph",
        text: part.replace(/\s+/g, " ").trim(),
        line: line + linesIn(/^\s*/.exec(part)?.[0] ?? ""),
      })
    line += linesIn(part)
  }
  return {
    name,
    format: "plain text",
    source,
    prose: blank(source, ADDRESS),
    kept: new Set(),
    headings: [],
    blocks,
    links: [],
    codeBlocks: 0,
  }
}

function markdownText(name: string, source: string): Text {
  const front = frontMatter(source)
  const tokens = new Lexer({ gfm: true }).lex(source.slice(front.length))
  const headings: Heading[] = []
  const blocks: Block[] = []
  const links: Link[] = []
  const kept = new Set<number>()
  const keep = (from: number, to: number): void => {
    for (let line = from; line < to; line += 1) kept.add(line)
  }
  let codeBlocks = 0
  let prose = front.replace(/[^\n]/g, BLANK)
  let line = 1 + linesIn(front)
  keep(1, line)
  for (const token of tokens) {
    if (isHeading(token)) headings.push({ level: token.depth, text: plain(token.tokens), line })
    blocks.push(...blocksOf(token, line))
    links.push(...linksOf(token, line))
    codeBlocks += countCode(token)
    const verbatim = token.type === "code" || token.type === "html"
    const { text, fenced } = verbatim
      ? { text: token.raw.replace(/[^\n]/g, BLANK), fenced: [] }
      : blankFences(token.raw)
    if (verbatim) keep(line, line + linesIn(token.raw.trimEnd()) + 1)
    for (const offset of fenced) keep(line + offset, line + offset + 1)
    prose += verbatim ? text : blank(text, INLINE)
    line += linesIn(token.raw)
  }
  // The offsets of `prose` are what an edit relies on; should a parser ever normalise its input, nothing is edited.
  if (prose.length !== source.length) {
    prose = source.replace(/[^\n]/g, BLANK)
    keep(1, linesIn(source) + 2)
  }
  return { name, format: "Markdown", source, prose, kept, headings, blocks, links, codeBlocks }
}

/** YAML between two lines of dashes at the very top; without this its last line would read as a heading. */
export function frontMatter(source: string): string {
  return /^---\n(?:[^\n]*\n)*?---(?:\n|$)/.exec(source)?.[0] ?? ""
}

/** Stands for what is no prose: no letter, no blank, so that no word and no repetition reaches across it. */
const BLANK = "\uFFFC"
const ADDRESS = /\bhttps?:\/\/\S+/gi
const INLINE = /(`+)[\s\S]{0,2000}?[^`]\1(?!`)|\]\([^)\n]{0,2000}\)|<[^>\n]{1,2000}>|\bhttps?:\/\/[^\s)\]]+/gi

function blank(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) => match.replace(/[^\n]/g, BLANK))
}

/** Code fences inside lists and quotes, which the top level of the token list does not show. */
function blankFences(raw: string): { text: string; fenced: readonly number[] } {
  const fenced: number[] = []
  let fence: string | undefined
  const lines = raw.split("\n").map((text, offset) => {
    const mark = /^[\s>*+\-\d.)]*?(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence === undefined && mark === undefined) return text
    fenced.push(offset)
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
    return text.replace(/./g, BLANK)
  })
  return { text: lines.join("\n"), fenced }
}

function blocksOf(token: Token, line: number): Block[] {
  if (isHeading(token)) return [{ kind: "heading", text: plain(token.tokens), line }]
  if (isTable(token)) {
    const cells = [token.header, ...token.rows].flat()
    return [{ kind: "table", text: cells.map(({ tokens }) => plain(tokens)).join(" | "), line }]
  }
  if (isList(token)) return inOrder(token.items, line, (item, start) => blocksOf(item, start))
  if (isContainer(token)) return inOrder(token.tokens, line, blocksOf)
  if (token.type === "paragraph" || token.type === "text") {
    const text = plain("tokens" in token ? token.tokens : undefined, token.raw)
    return text === "" ? [] : [{ kind: "paragraph", text, line }]
  }
  return []
}

function inOrder<T extends { raw: string }>(
  tokens: readonly T[],
  line: number,
  visit: (token: T, line: number) => Block[],
): Block[] {
  let at = line
  return tokens.flatMap((token) => {
    const start = at
    at += linesIn(token.raw)
    return visit(token, start)
  })
}

function linksOf(token: Token, line: number): Link[] {
  const found: Link[] = []
  let from = 0
  const visit = (inner: Token): void => {
    if (isLink(inner) || isImage(inner)) {
      // Inside quotes and lists the raw text is without its markers: where it is not found, the last known line stands.
      const at = token.raw.indexOf(inner.raw, from)
      if (at >= 0) from = at
      // An address inside brackets that make no link is told as those (`unparsed` in problem.ts), not as a link.
      if (at >= 2 && /\]\(|\)\[/.test(token.raw.slice(at - 2, at))) return
      const kind = isLink(inner) ? "link" : "image"
      const bare = kind === "link" && /^(?:https?:\/\/|www\.)/i.test(inner.raw)
      found.push({
        kind,
        text: isLink(inner) ? plain(inner.tokens) : inner.text,
        target: inner.href,
        bare,
        line: line + linesIn(token.raw.slice(0, from)),
      })
    }
    for (const child of children(inner)) visit(child)
  }
  visit(token)
  return found
}

function countCode(token: Token): number {
  return (token.type === "code" ? 1 : 0) + children(token).reduce((sum, child) => sum + countCode(child), 0)
}

function children(token: Token): readonly Token[] {
  if (isTable(token)) return [token.header, ...token.rows].flat().flatMap(({ tokens }) => tokens)
  if (isList(token)) return token.items
  return "tokens" in token ? (token.tokens ?? []) : []
}

/** What a reader reads of inline Markdown. Code stays as one word; an image is its alternative text. */
function plain(tokens: readonly Token[] | undefined, fallback = ""): string {
  if (tokens === undefined) return fallback.replace(/\s+/g, " ").trim()
  const words = tokens.map((token): string => {
    if (token.type === "br") return " "
    if (token.type === "html") return ""
    const inner = children(token)
    return inner.length > 0 ? plain(inner) : "text" in token ? unescape(String(token.text)) : ""
  })
  return words.join("").replace(/\s+/g, " ").trim()
}

function unescape(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
}

function linesIn(text: string): number {
  return text.split("\n").length - 1
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading"
const isTable = (token: Token): token is Tokens.Table => token.type === "table"
const isList = (token: Token): token is Tokens.List => token.type === "list"
const isLink = (token: Token): token is Tokens.Link => token.type === "link"
const isImage = (token: Token): token is Tokens.Image => token.type === "image"
const isContainer = (token: Token): token is Tokens.Blockquote | Tokens.ListItem =>
  token.type === "blockquote" || token.type === "list_item"

/** The tokens of the top level, whose raw texts joined are the source again. */
export function topLevel(source: string): TokensList {
  return new Lexer({ gfm: true }).lex(source)
}
