import type { Input } from "../colleague.ts"
import { readCsv } from "./csv.ts"
import { readJson } from "./json.ts"
import { NotATable } from "./table.ts"
import type { Table, Unreadable } from "./table.ts"

/** Reads an input as a table. Its media type, its name and its first characters decide the format. An input that is no table gives the reason. */
export function readTable(input: Pick<Input, "name" | "mediaType" | "content">): Table | Unreadable {
  try {
    return read(input)
  } catch (error) {
    if (error instanceof NotATable) return { name: input.name, reason: error.message }
    throw error
  }
}

function read({ name, mediaType, content }: Pick<Input, "name" | "mediaType" | "content">): Table {
  const text = content.replace(/^\uFEFF/, "")
  if (text.trim() === "") throw new NotATable("It is empty or has only spaces.")
  if (text.includes("\u0000")) throw new NotATable("It contains zero bytes, so it is a binary file.")
  if (mediaType === "text/markdown")
    throw new NotATable("It is a Markdown text and not a table. The editor works on Markdown.")
  if (mediaType === "application/json" || /^\s*[[{]/.test(text)) return readJson(name, text)
  return readCsv(name, text, { severalColumns: mediaType !== "text/csv" && !/\.(?:csv|tsv|tab)$/i.test(name) })
}
