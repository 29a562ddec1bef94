import type { Input } from "../colleague.ts"
import { readCsv } from "./csv.ts"
import { readJson } from "./json.ts"
import { NotATable } from "./table.ts"
import type { Reading, Table } from "./table.ts"

/**
 * Reads an input as a table. Its media type, its name and its first characters decide the format. Never throws because of the content: an
 * input that is no table gives the reason.
 */
export function readTable(input: Pick<Input, "name" | "mediaType" | "content">): Reading {
  try {
    return { ok: true, table: read(input) }
  } catch (error) {
    if (error instanceof NotATable) return { ok: false, unreadable: { name: input.name, reason: error.message } }
    // Tens of thousands of nested brackets overflow the engine's stack.
    if (error instanceof RangeError)
      return { ok: false, unreadable: { name: input.name, reason: "It is nested too deeply to be a table." } }
    throw error
  }
}

function read({ name, mediaType, content }: Pick<Input, "name" | "mediaType" | "content">): Table {
  const text = content.replace(/^\uFEFF/, "")
  if (text.trim() === "") throw new NotATable("It is empty or has only spaces.")
  if (text.includes("\u0000")) throw new NotATable("It contains zero bytes, so it is a binary file.")
  if (mediaType === "text/markdown")
    throw new NotATable("It is a Markdown text and not a table. The editor works on Markdown.")
  const bracketed = /^\s*[[{]/.test(text)
  if (mediaType === "application/json" || (bracketed && isJson(text))) return readJson(name, text)
  if (mediaType === "text/csv") return readCsv(name, text)
  return readCsv(name, text, { severalColumns: !/\.(?:csv|tsv|tab)$/i.test(name) })
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
