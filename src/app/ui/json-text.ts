/** Whether `text` is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Lines are indented by two spaces for each level up to this one. Otherwise deep nesting makes the text grow with its square. */
const LEVELS_MAX = 40

const TOKENS = /"(?:[^"\\]+|\\.)*"?|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/gs

/**
 * Lays JSON out with a line for each member. Every token stays as it was sent. Parsing and writing again would change large integers, `1.0`,
 * `\u202e` and names that occur twice. `text` may be the beginning of a longer text. Undefined where the result is longer than `max`.
 */
export function layOutJson(text: string): string
export function layOutJson(text: string, max: number): string | undefined
export function layOutJson(text: string, max = Infinity): string | undefined {
  let level = 0
  let length = 0
  let end = 0
  const pieces: string[] = []
  const add = (piece: string) => {
    pieces.push(piece)
    length += piece.length
  }
  const newLine = (change: number) => {
    level = Math.max(0, level + change)
    return `\n${"  ".repeat(Math.min(level, LEVELS_MAX))}`
  }
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    // What is between two tokens: numbers and the words of JSON.
    add(text.slice(end, index))
    end = index + token.length
    if (token === "{" || token === "[") add(token + newLine(1))
    else if (token === "}" || token === "]") add(newLine(-1) + token)
    else if (token === ",") add(token + newLine(0))
    else if (token === ":") add(": ")
    else add(token.startsWith('"') ? token : token.replaceAll(/\s/g, ""))
    if (length > max) return undefined
  }
  return `${pieces.join("")}${text.slice(end)}`
}

/** JSON on one line. JSON has raw line breaks only between tokens, where a space means the same. */
export function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, " ")
}
