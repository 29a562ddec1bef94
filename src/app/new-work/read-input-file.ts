/** Reads a file or a pasted text as an input, and finds its media type. */
import {
  countBytes,
  countCharacters,
  UPLOAD_MAX_BYTES,
  UPLOAD_MEDIA_TYPES,
  UPLOAD_NAME_MAX_CHARACTERS,
} from "../../contract/limits.ts"
import type { CreateInputUploadRequest } from "../../contract/resources.ts"
import { lookUp } from "../ui/look-up.ts"
import { formatNumber, plural } from "../../contract/plural.ts"

/** A file or text that a person chose, dropped or pasted, checked before it is sent. */
export type ReadInput = {
  readonly name: string
  readonly bytes: number
  /** Undefined where neither the name nor the operating system names a known kind. Then the person chooses a kind before the input is sent. */
  readonly mediaType: UploadMediaType | undefined
  /** Left out where `problem` says why the input cannot be sent. */
  readonly content?: string
  readonly problem?: string
}

/**
 * Reads a file as exact UTF-8 text, with its BOM, NULs and line ends. `problem` says what the service would refuse
 * (openapi.yaml, createInputUpload). A file that is too large is not read.
 */
export async function readFile(file: File): Promise<ReadInput> {
  const { name, size: bytes } = file
  const mediaType = mediaTypeOf(name, file.type)
  const input = { name, bytes, mediaType }
  const problem = nameProblem(name) ?? sizeProblem(bytes)
  if (problem !== undefined) return { ...input, problem }
  let content: ArrayBuffer
  try {
    content = await file.arrayBuffer()
  } catch {
    return { ...input, problem: "It's a folder, or it was moved or changed." }
  }
  try {
    return { ...input, content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content) }
  } catch {
    const kind = mediaType === undefined ? "CSV, JSON, Markdown or plain text" : "UTF-8 text"
    return { ...input, problem: `It isn't ${kind}, so it can't be sent.` }
  }
}

/** Makes an input of a pasted text. Half a surrogate pair has no UTF-8 and would arrive as another character. */
export function readText(name: string, content: string): ReadInput {
  const bytes = countBytes(content)
  const input = { name, bytes, mediaType: mediaTypeOf(name, "") }
  const problem = nameProblem(name) ?? sizeProblem(bytes) ?? surrogateProblem(content)
  return problem === undefined ? { ...input, content } : { ...input, problem }
}

/** Says where `text` has half a surrogate pair; undefined where it has none. */
export function surrogateProblem(text: string): string | undefined {
  if (text.isWellFormed()) return undefined
  const position = text.search(/\p{Surrogate}/u)
  return `Character ${formatNumber(countCharacters(text.slice(0, position)) + 1)} isn't valid Unicode, so it can't be sent.`
}

function nameProblem(name: string): string | undefined {
  const over = countCharacters(name) - UPLOAD_NAME_MAX_CHARACTERS
  if (over > 0) return `Its name is ${plural(over, "character")} too long: at most ${UPLOAD_NAME_MAX_CHARACTERS}.`
  return surrogateProblem(name)
}

function sizeProblem(bytes: number): string | undefined {
  if (bytes === 0) return "It's empty."
  const over = bytes - UPLOAD_MAX_BYTES
  if (over <= 0) return undefined
  return `It's ${plural(over, "byte")} too large: the limit is ${formatNumber(UPLOAD_MAX_BYTES)}.`
}

/** The media types that an upload may have (openapi.yaml, createInputUpload). */
type UploadMediaType = CreateInputUploadRequest["media_type"]

const byExtension: Readonly<Record<string, UploadMediaType>> = {
  json: "application/json",
  csv: "text/csv",
  md: "text/markdown",
  markdown: "text/markdown",
  txt: "text/plain",
  text: "text/plain",
  log: "text/plain",
}

const words: Readonly<Record<UploadMediaType, string>> = {
  "application/json": "JSON",
  "text/csv": "CSV",
  "text/markdown": "Markdown",
  "text/plain": "Plain text",
}

/** The kinds to choose from, each with its word. */
export const mediaTypeChoices = UPLOAD_MEDIA_TYPES.map((mediaType) => ({ mediaType, word: words[mediaType] }))

/** Whether `text` is one of the four kinds that the service takes. */
export function isUploadMediaType(text: string): text is UploadMediaType {
  return Object.hasOwn(words, text)
}

/**
 * The kind of a file: by its name, else by the media type of the operating system; undefined where neither is one of the four kinds that
 * the service takes.
 */
export function mediaTypeOf(name: string, systemType: string): UploadMediaType | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  const named = lookUp(byExtension, extension)
  if (named !== undefined) return named
  const type = systemType.split(";")[0]?.trim().toLowerCase() ?? ""
  return isUploadMediaType(type) ? type : undefined
}
