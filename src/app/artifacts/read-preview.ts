/** Parses the text of a result for its preview. Only the worker calls this: a hostile text may take minutes. */
import { isJson, layOutJson } from "../ui/json-text.ts"
import { type PreviewBlocks, textBlocks } from "./preview-blocks.ts"
import { type PreviewTable, readTable, type TableHints } from "./preview-table.ts"
import { type PreviewNode, readMarkdown } from "./preview-tree.ts"

export type TextKind = "markdown" | "csv" | "json" | "text"

export type PreviewRequest = TableHints & {
  readonly kind: TextKind
  readonly text: string
  /** False for the beginning of a larger text. */
  readonly whole: boolean
}

/** Why a text is shown as it is, although its kind has a preview of its own. */
export type PlainReason = "not-json" | "too-large" | "too-slow"

/** What the page draws of a text: never more than it can draw without a pause. */
export type Drawing =
  | { readonly tree: readonly PreviewNode[] }
  | { readonly table: PreviewTable }
  | (PreviewBlocks & { readonly reason?: PlainReason })

/** The beginning of a text. `more`: how many lines or rows it leaves out. */
export type Excerpt = { readonly drawing: Drawing; readonly more: number }

export type PreviewContent = Drawing & { readonly excerpt: Excerpt }

/** The parsed text, and its beginning for the page of its Work. */
export function readPreview({ kind, text, whole, ...hints }: PreviewRequest): PreviewContent {
  if (kind === "csv") {
    const table = readTable(text, whole, hints)
    const rows = table.rows.slice(0, EXCERPT_ROWS)
    return { table, excerpt: { drawing: { table: { ...table, rows } }, more: table.rowCount - rows.length } }
  }
  if (kind === "markdown") {
    const tree = readMarkdown(text)
    if (tree === undefined) return readPlain(text, "too-large")
    const { beginning, more } = cutExcerpt(text)
    return { tree, excerpt: { drawing: { tree: readMarkdown(beginning) ?? [] }, more } }
  }
  // The beginning of a JSON text cannot be parsed.
  if (kind === "text" || !whole) return readPlain(text)
  if (!isJson(text)) return readPlain(text, "not-json")
  const laidOut = layOutJson(text, LAID_OUT_MAX)
  return laidOut === undefined ? readPlain(text, "too-large") : readPlain(laidOut)
}

function readPlain(text: string, reason?: PlainReason): PreviewContent {
  const { beginning, more } = cutExcerpt(text)
  return {
    ...textBlocks(text),
    ...(reason !== undefined && { reason }),
    excerpt: { drawing: textBlocks(beginning), more },
  }
}

/** The first lines of a text, and the number of lines after them. A line that is cut counts as one of these. */
function cutExcerpt(text: string): { readonly beginning: string; readonly more: number } {
  const lines = text.trimEnd().split("\n")
  const first = lines.slice(0, EXCERPT_LINES).join("\n")
  const beginning = first.slice(0, EXCERPT_CHARACTERS).toWellFormed()
  return { beginning, more: lines.length - beginning.split("\n").length + (first.length > EXCERPT_CHARACTERS ? 1 : 0) }
}

/** How much of a result stands on the page of its Work. */
const EXCERPT_LINES = 12
const EXCERPT_ROWS = 8
const EXCERPT_CHARACTERS = 4_000

/** The longest layout of a JSON text, in characters. Nested brackets become eighty times as long. */
const LAID_OUT_MAX = 6_000_000
