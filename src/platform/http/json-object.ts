/** Parses JSON objects of requests and answers. */
import { isUtf8 } from "node:buffer"

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Parses a body that every JSON parser reads in the same way, so that the upstream cannot read another decision than the desk: one JSON
 * object in UTF-8, in which no object names a member twice. Two names count as the same when they differ only in letter case, compatibility
 * forms or characters that cannot be seen, because some parsers treat them as the same. For this reason a name that is the same as one of
 * `members` must be that name. Returns undefined for any other body.
 */
export function parseBody(body: Buffer, members: readonly string[] = []): JsonObject | undefined {
  if (!isUtf8(body)) return undefined
  const text = body.toString("utf8")
  const value = parseObject(text)
  if (value === undefined || namesMemberTwice(text)) return undefined
  const isMisspelt = (name: string) => !members.includes(name) && members.includes(foldName(name))
  return Object.keys(value).some(isMisspelt) ? undefined : value
}

/** Parses a JSON object. Returns undefined for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Whether an object in a valid JSON text names a member twice. JSON.parse does not report this: it returns the last of the two. */
export function namesMemberTwice(text: string): boolean {
  // For each object or array that is open: the member names so far, or undefined for an array.
  const open: (Set<string> | undefined)[] = []
  let position = 0
  while (position < text.length) {
    const character = text[position]
    if (character === '"') {
      const end = endOfString(text, position)
      const names = open.at(-1)
      if (names !== undefined && isFollowedByColon(text, end)) {
        const name = foldName(String(JSON.parse(text.slice(position, end))))
        if (names.has(name)) return true
        names.add(name)
      }
      position = end
      continue
    }
    if (character === "{") open.push(new Set())
    else if (character === "[") open.push(undefined)
    else if (character === "}" || character === "]") open.pop()
    position++
  }
  return false
}

function endOfString(text: string, start: number): number {
  let position = start + 1
  while (text[position] !== '"') position += text[position] === "\\" ? 2 : 1
  return position + 1
}

const COLON = /\s*:/y

/** In an object, only a name has a colon after it. */
function isFollowedByColon(text: string, end: number): boolean {
  COLON.lastIndex = end
  return COLON.test(text)
}

const foldName = (name: string) =>
  name
    .normalize("NFKC")
    .replaceAll(/\p{Cc}|\p{Default_Ignorable_Code_Point}/gu, "")
    // Upper case first: lower case alone would keep `ß` and `ss` apart.
    .toUpperCase()
    .toLowerCase()
