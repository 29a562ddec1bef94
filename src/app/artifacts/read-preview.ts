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

export type PreviewContent =
  | { readonly tree: readonly PreviewNode[] }
  | { readonly table: PreviewTable }
  | (PreviewBlocks & { readonly reason?: PlainReason })

/** What the page draws: never more than it can draw without a pause. */
export function readPreview({ kind, text, whole, ...hints }: PreviewRequest): PreviewContent {
  if (kind === "csv") return { table: readTable(text, whole, hints) }
  if (kind === "markdown") {
    const tree = readMarkdown(text)
    return tree === undefined ? { ...textBlocks(text), reason: "too-large" } : { tree }
  }
  // The beginning of a JSON text cannot be parsed.
  if (kind === "text" || !whole) return textBlocks(text)
  if (!isJson(text)) return { ...textBlocks(text), reason: "not-json" }
  const laidOut = layOutJson(text, LAID_OUT_MAX)
  return laidOut === undefined ? { ...textBlocks(text), reason: "too-large" } : textBlocks(laidOut)
}

/** The longest layout of a JSON text, in characters. Nested brackets become eighty times as long. */
const LAID_OUT_MAX = 6_000_000
