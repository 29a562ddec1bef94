import { isUtf8 } from "node:buffer"

export type JsonObject = Readonly<Record<string, unknown>>

/**
 * Reads a body so that the desk and the upstream cannot read two decisions in it: one JSON object in UTF-8, in which no object names a
 * member twice. Names that differ in letter case or compatibility forms alone count as the same, because some parsers take one for the
 * other. Undefined for everything else.
 */
export function readBody(body: Buffer): JsonObject | undefined {
  if (!isUtf8(body)) return undefined
  const text = body.toString("utf8")
  const value = parseObject(text)
  return value === undefined || namesMemberTwice(text) ? undefined : value
}

/** The object that a JSON text is; undefined for every other text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Whether an object in a valid JSON text names a member twice. JSON.parse cannot tell: of two members with one name it gives the last. */
export function namesMemberTwice(text: string): boolean {
  // The names of each object that is open, undefined for an array.
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

/** The position after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let position = start + 1
  while (text[position] !== '"') position += text[position] === "\\" ? 2 : 1
  return position + 1
}

/** Within an object only a name is followed by a colon. */
function isFollowedByColon(text: string, end: number): boolean {
  let position = end
  while (" \t\n\r".includes(text[position] ?? "x")) position++
  return text[position] === ":"
}

const foldName = (name: string) => name.normalize("NFKC").toLowerCase()
