import { decodeHTML } from "entities"
import type { Token, Tokens } from "marked"
import type { Input } from "../colleague.ts"
import { TooCostly, lex } from "./lexer.ts"
import { linesIn } from "./lines.ts"

/** A text that the editor has read. Line numbers start at 1. */
export type Text = {
  readonly name: string
  readonly format: "Markdown" | "plain text"
  /** The text with line feeds as line ends, and without a byte order mark. */
  readonly source: string
  /** The source with BLANK in place of code, HTML and addresses. It has the same offsets and lines as the source. */
  readonly prose: string
  /** The line numbers of code, HTML and front matter. The editor does not change these lines. */
  readonly kept: ReadonlySet<number>
  readonly headings: readonly Heading[]
  readonly blocks: readonly Block[]
  readonly links: readonly Link[]
  readonly codeBlocks: number
}

export type Heading = { readonly level: number; readonly text: string; readonly line: number }

/** A heading, a paragraph, a list entry or a table. A sentence is within one block. `line` is the block's first line. */
export type Block = { readonly kind: "heading" | "paragraph" | "table"; readonly text: string; readonly line: number }

export type Link = {
  readonly kind: "link" | "image"
  readonly text: string
  readonly target: string
  /** Whether the link is an address in the text without brackets. */
  readonly bare: boolean
  readonly line: number
}

export type Unreadable = { readonly name: string; readonly reason: string }

/** Reads an input as a text. If the input is no text, `reason` says why in a whole sentence. */
export function readText(input: Pick<Input, "name" | "mediaType" | "content">): Text | Unreadable {
  const { name, mediaType } = input
  const source = input.content.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  if (source.trim() === "") return { name, reason: "It is empty or has only spaces." }
  if (source.includes("\u0000")) return { name, reason: "It contains zero bytes, so it is a binary file." }
  if (mediaType === "text/csv" || mediaType === "application/json") {
    const what = mediaType === "text/csv" ? "CSV" : "JSON"
    return { name, reason: `It is ${what} data and not a text to edit. The analyst works on ${what}.` }
  }
  const isMarkdown = mediaType === "text/markdown" || /\.(?:md|markdown)$/i.test(name)
  if (!isMarkdown) return plainText(name, source)
  try {
    return markdownText(name, source)
  } catch (error) {
    if (error instanceof TooCostly) return plainText(name, source)
    throw error
  }
}

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
    prose: source.replace(ADDRESS, blank),
    kept: new Set(),
    headings: [],
    blocks,
    links: [],
    codeBlocks: 0,
  }
}

function markdownText(name: string, source: string): Text {
  const front = frontMatter(source)
  const tokens = lex(source.slice(front.length))
  const headings: Heading[] = []
  const blocks: Block[] = []
  const links: Link[] = []
  const kept = new Set<number>()
  const keep = (from: number, to: number): void => {
    for (let line = from; line < to; line += 1) kept.add(line)
  }
  let codeBlocks = 0
  let prose = blank(front)
  let line = 1 + linesIn(front)
  keep(1, line)
  for (const token of tokens) {
    if (isHeading(token)) headings.push({ level: token.depth, text: plain(token.tokens), line })
    blocks.push(...blocksOf(token, line))
    links.push(...linksOf(token, line))
    codeBlocks += countCode(token)
    const verbatim = token.type === "code" || token.type === "html"
    if (verbatim) keep(line, line + linesIn(token.raw.trimEnd()) + 1)
    const { text, fenced } = verbatim ? { text: blank(token.raw), fenced: [] } : blankFences(token.raw)
    for (const offset of fenced) keep(line + offset, line + offset + 1)
    prose += verbatim ? text : blankInline(text, token)
    line += linesIn(token.raw)
  }
  // Edits rely on the offsets of `prose`. If the parser has normalised its input, nothing is edited.
  if (prose.length !== source.length) {
    prose = blank(source)
    keep(1, linesIn(source) + 2)
  }
  return { name, format: "Markdown", source, prose, kept, headings, blocks, links, codeBlocks }
}

/** The YAML between two lines of dashes at the top of a text. Markdown would read its last line as a heading. */
export function frontMatter(source: string): string {
  return /^---\n(?:[^\n]*\n)*?---(?:\n|$)/.exec(source)?.[0] ?? ""
}

/** Replaces each character that is no prose. It is neither a letter nor a space, so no word and no repetition contains it. */
const BLANK = "\uFFFC"

const ADDRESS = /\bhttps?:\/\/\S+/gi

function blank(text: string): string {
  return text.replace(/[^\n]/g, BLANK)
}

/** Blanks the code, the HTML and the targets of links in the raw text of a block. */
function blankInline(raw: string, block: Token): string {
  const parts: string[] = []
  let from = 0
  const visit = (token: Token): void => {
    for (const child of children(token)) {
      const isVerbatim = child.type === "codespan" || child.type === "html" || isImage(child)
      if (!isVerbatim && !isLink(child)) {
        visit(child)
        continue
      }
      const at = raw.indexOf(child.raw, from)
      // In quotes and lists the raw text of a token lacks the marks at the start of a line, so it may not be found. Then the rest is no
      // prose.
      const end = at < 0 ? raw.length : at + child.raw.length
      const start = Math.max(at, from)
      if (at >= 0 && isLink(child) && child.raw.startsWith("[")) {
        const target = child.raw.lastIndexOf("](")
        const text = target < 0 ? child.raw : child.raw.slice(0, target + 1)
        parts.push(raw.slice(from, start), text, blank(child.raw.slice(text.length)))
      } else parts.push(raw.slice(from, start), blank(raw.slice(start, end)))
      from = end
      if (at < 0) return
    }
  }
  visit(block)
  parts.push(raw.slice(from))
  return parts.join("")
}

/**
 * Blanks code fences within lists and quotes, which are not in the top level of the token list. `fenced` has the offsets of their lines.
 */
function blankFences(raw: string): { text: string; fenced: readonly number[] } {
  const fenced: number[] = []
  let fence: string | undefined
  const lines = raw.split("\n").map((text, offset) => {
    const mark = /^[\s>*+\-\d.)]*?(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence === undefined && mark === undefined) return text
    fenced.push(offset)
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
    return blank(text)
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
  let at = line
  let lost = 0
  const visit = (inner: Token): void => {
    if (isLink(inner) || isImage(inner)) {
      // In quotes and lists the raw text of a token lacks the marks at the start of a line, so it may not be found. Then the last known
      // line counts.
      const start = lost < MOST_LOST ? token.raw.indexOf(inner.raw, from) : -1
      if (start < 0) lost += 1
      else {
        at += linesIn(token.raw.slice(from, start))
        from = start
        // An address in brackets that make no link is no link. `unparsed` in link-problem.ts reports the brackets.
        if (/\]\(|\)\[/.test(token.raw.slice(Math.max(start - 2, 0), start))) return
      }
      const kind = isLink(inner) ? "link" : "image"
      found.push({
        kind,
        text: isLink(inner) ? plain(inner.tokens) : inner.text,
        target: inner.href,
        bare: kind === "link" && /^(?:https?:\/\/|www\.)/i.test(inner.raw),
        line: at,
      })
    }
    for (const child of children(inner)) visit(child)
  }
  visit(token)
  return found
}

/** The most failed searches in a block. Each reads the whole block. */
const MOST_LOST = 100

function countCode(token: Token): number {
  return (token.type === "code" ? 1 : 0) + children(token).reduce((sum, child) => sum + countCode(child), 0)
}

function children(token: Token): readonly Token[] {
  if (isTable(token)) return [token.header, ...token.rows].flat().flatMap(({ tokens }) => tokens)
  if (isList(token)) return token.items
  return "tokens" in token ? (token.tokens ?? []) : []
}

/** The text that a reader sees of inline Markdown. Code counts as one word, and an image as its alternative text. */
function plain(tokens: readonly Token[] | undefined, fallback = ""): string {
  if (tokens === undefined) return fallback.replace(/\s+/g, " ").trim()
  const words = tokens.map((token): string => {
    if (token.type === "br") return " "
    if (token.type === "html") return ""
    const inner = children(token)
    if (inner.length > 0) return plain(inner)
    if (!("text" in token)) return ""
    return token.type === "codespan" ? String(token.text) : decodeHTML(String(token.text))
  })
  return words.join("").replace(/\s+/g, " ").trim()
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading"
const isTable = (token: Token): token is Tokens.Table => token.type === "table"
const isList = (token: Token): token is Tokens.List => token.type === "list"
const isLink = (token: Token): token is Tokens.Link => token.type === "link"
const isImage = (token: Token): token is Tokens.Image => token.type === "image"
const isContainer = (token: Token): token is Tokens.Blockquote | Tokens.ListItem =>
  token.type === "blockquote" || token.type === "list_item"
