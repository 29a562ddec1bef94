import { countBytes, countCharacters, UPLOAD_MAX_BYTES, UPLOAD_NAME_MAX_CHARACTERS } from "../../contract/limits.ts"
import { mediaTypeOf, type UploadMediaType } from "./media-type.ts"

/** Something that a person chose, dropped or pasted, looked at before anything of it is sent. */
export type Chosen = {
  readonly name: string
  readonly bytes: number
  /** Undefined where the name says none of the four kinds: the person chooses one, and then it is sent. */
  readonly mediaType: UploadMediaType | undefined
} & ({ readonly content: string } | { readonly problem: string })

const digits = new Intl.NumberFormat("en")

/**
 * Reads a file as the exact text that it is: UTF-8 or nothing, with its BOM, NUL and line ends as they stand. Says in
 * `problem` what the service would refuse (API specification, "Limits"); a file that is too large is not even read.
 */
export async function readFile(file: File): Promise<Chosen> {
  const { name, size: bytes } = file
  const mediaType = mediaTypeOf(name, file.type)
  const chosen = { name, bytes, mediaType }
  const problem = nameProblem(name) ?? sizeProblem(bytes)
  if (problem !== undefined) return { ...chosen, problem }
  let content: ArrayBuffer
  try {
    content = await file.arrayBuffer()
  } catch {
    return { ...chosen, problem: "It could not be read: a folder, or a file that was moved or changed meanwhile." }
  }
  try {
    return { ...chosen, content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content) }
  } catch {
    const kind = mediaType === undefined ? "It is of another kind than CSV, JSON, Markdown and text: it" : "It"
    return { ...chosen, problem: `${kind} is not UTF-8 text, and would not arrive as it is.` }
  }
}

/** Takes a pasted text as an input of that name. Half a surrogate pair has no UTF-8: it would arrive as another character. */
export function readText(name: string, content: string): Chosen {
  const bytes = countBytes(content)
  const chosen = { name, bytes, mediaType: mediaTypeOf(name, "") }
  const problem = nameProblem(name) ?? sizeProblem(bytes) ?? surrogateProblem(content)
  return problem === undefined ? { ...chosen, content } : { ...chosen, problem }
}

/** The name for a pasted text that no other in `taken` has. */
export function nameForPasted(content: string, taken: readonly string[]): string {
  const extension = isJson(content) ? "json" : "txt"
  for (let count = 1; ; count++) {
    const name = count === 1 ? `pasted.${extension}` : `pasted-${count}.${extension}`
    if (!taken.includes(name)) return name
  }
}

/** What is wrong with half a surrogate pair in `text`, by where it stands; undefined where there is none. */
export function surrogateProblem(text: string): string | undefined {
  if (text.isWellFormed()) return undefined
  const position = text.search(/\p{Surrogate}/u)
  return `Character ${digits.format(countCharacters(text.slice(0, position)) + 1)} is half of a surrogate pair, which no UTF-8 text can hold.`
}

function nameProblem(name: string): string | undefined {
  const over = countCharacters(name) - UPLOAD_NAME_MAX_CHARACTERS
  if (over > 0) return `Its name is ${plural(over, "character")} too long: at most ${UPLOAD_NAME_MAX_CHARACTERS}.`
  return surrogateProblem(name)
}

function sizeProblem(bytes: number): string | undefined {
  if (bytes === 0) return "It is empty: an input has at least one character."
  const over = bytes - UPLOAD_MAX_BYTES
  if (over <= 0) return undefined
  return `It is ${plural(over, "byte")} too many: ${digits.format(bytes)} of at most ${digits.format(UPLOAD_MAX_BYTES)}.`
}

function plural(count: number, unit: string): string {
  return `${digits.format(count)} ${unit}${count === 1 ? "" : "s"}`
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
