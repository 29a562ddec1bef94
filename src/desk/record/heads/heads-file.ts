/**
 * Finds signed heads in a file: notes as they are, one after the other, lines of the desk's log, and bodies of requests to RECORD_HEADS_URL (a line
 * each). Other lines are passed over. A file of any size takes little memory, because no line and no note is longer than a limit.
 */
import { createReadStream } from "node:fs"
import * as v from "valibot"
import { parseObject } from "../../../platform/http/json-object.ts"
import { SIGNATURE_MARK } from "./signed-note.ts"

/** Why a file can't be used. The message is a sentence for the administrator. */
export class HeadsFileError extends Error {}

/** Longer lines are not read: a note has about 300 bytes. */
export const LINE_MAX_BYTES = 65_536
/** More lines than a head has, and more signatures than a note may have. */
const LINES_MAX = 16
const READ_BYTES = 1_048_576

/** What a line or several lines contain: a note, something like a note with its fault, or a line that is too long. */
export type FoundNote =
  | { readonly line: number; readonly note: string }
  | { readonly line: number; readonly fault: string }
  | { readonly line: number; readonly isTooLong: true }

/** Yields what was found, many at a time. @throws HeadsFileError when the file can't be read, is empty, or has no head */
export async function* readNotes(path: string): AsyncGenerator<readonly FoundNote[]> {
  const scanner = new NoteScanner()
  let isEmpty = true
  let isFound = false
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
      if (!(chunk instanceof Buffer)) continue
      isEmpty = false
      const found = scanner.push(chunk)
      isFound ||= found.some(isHead)
      if (found.length > 0) yield found
    }
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error
    throw new HeadsFileError(`The file with the heads can't be read: ${String(error.code)}`, { cause: error })
  }
  const last = scanner.end()
  if (last.length > 0) yield last
  isFound ||= last.some(isHead)
  if (isEmpty) throw new HeadsFileError("The file with the heads is empty: no head was received yet")
  if (!isFound) throw new HeadsFileError("The file has no signed head")
}

const isHead = (found: FoundNote) => !("isTooLong" in found)

const LINE_FEED = 10
const BRACE = 0x7b
const NOTE_MEMBER = Buffer.from('"note":"')
const SIZE = /^\d+$/

class NoteScanner {
  #line = 0
  /** The beginning of a line whose end has not come. */
  #rest: Buffer[] = []
  #restBytes = 0
  /** The lines since the last empty line. */
  #paragraph: string[] = []
  /** The paragraph before an empty line, when signatures may follow. */
  #text: readonly string[] | undefined
  #signatures: string[] = []
  #found: FoundNote[] = []

  push(chunk: Buffer): readonly FoundNote[] {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      // Measured: without this branch, a file of empty lines takes ten times as long.
      if (end === from && this.#restBytes === 0 && this.#text === undefined && this.#paragraph.length === 0)
        this.#line++
      else this.#endLine(chunk.subarray(from, end))
      from = end + 1
    }
    this.#keep(chunk.subarray(from))
    return this.#takeFound()
  }

  end(): readonly FoundNote[] {
    if (this.#restBytes > 0) this.#endLine(Buffer.alloc(0))
    this.#line++
    this.#endNote()
    return this.#takeFound()
  }

  #takeFound(): readonly FoundNote[] {
    const found = this.#found
    this.#found = []
    return found
  }

  /** Keeps the beginning of a line. Of a line that is too long, only the length. */
  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#restBytes += bytes.length
    if (this.#restBytes > LINE_MAX_BYTES) this.#rest = []
    // A copy, because the chunk is many times as large.
    else this.#rest.push(Buffer.from(bytes))
  }

  #endLine(bytes: Buffer): void {
    this.#line++
    if (this.#restBytes + bytes.length > LINE_MAX_BYTES) {
      this.#endNote()
      this.#found.push({ line: this.#line, isTooLong: true })
    } else this.#readLine(this.#restBytes === 0 ? bytes : Buffer.concat([...this.#rest, bytes]))
    this.#rest = []
    this.#restBytes = 0
  }

  #readLine(bytes: Buffer): void {
    if (bytes.includes(NOTE_MEMBER)) {
      this.#endNote()
      const found = noteOfJson(bytes.toString())
      if (found !== undefined) this.#found.push({ line: this.#line, ...found })
      return
    }
    // Another line of a log is no part of a note.
    const line = bytes[0] === BRACE ? "" : bytes.toString().replace(/\r$/, "")
    if (line.startsWith(SIGNATURE_MARK) && this.#text !== undefined) {
      if (this.#signatures.length <= LINES_MAX) this.#signatures.push(line)
      return
    }
    if (line !== "") {
      if (this.#text !== undefined) this.#endNote()
      this.#paragraph.push(line)
      if (this.#paragraph.length > LINES_MAX) this.#paragraph.shift()
      return
    }
    this.#endNote()
    if (this.#paragraph.length > 0) this.#text = this.#paragraph
    this.#paragraph = []
  }

  /** Ends the note whose text is known. A text without signatures counts only if it looks like a head. */
  #endNote(): void {
    const text = this.#text ?? []
    const line = this.#line - 1
    if (this.#signatures.length > 0) {
      this.#found.push({ line, note: [...text, "", ...this.#signatures, ""].join("\n") })
    } else if (SIZE.test(text[1] ?? "")) this.#found.push({ line, fault: "it is a head without a signature" })
    this.#text = undefined
    this.#signatures = []
  }
}

const logLine = v.object({ message: v.literal("record head"), note: v.string() })
const postBody = v.object({ type: v.literal("record.head"), data: v.object({ note: v.string() }) })
const OURS = /"(?:record head|record\.head)"/

/** The note in a line of the log, which another program may have put a prefix before, or in a posted body. Undefined for another program's JSON. */
function noteOfJson(line: string): { readonly note: string } | { readonly fault: string } | undefined {
  const value = parseObject(line.slice(line.indexOf("{")))
  const logged = v.safeParse(logLine, value)
  if (logged.success) return { note: logged.output.note }
  const posted = v.safeParse(postBody, value)
  if (posted.success) return { note: posted.output.data.note }
  return OURS.test(line) ? { fault: "it is a damaged line of the log" } : undefined
}
