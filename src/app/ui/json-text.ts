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

/**
 * Lays JSON out with a line for each member. Every token stays as it was sent. Parsing and writing again would change large integers, `1.0`,
 * `\u202e` and names that occur twice. `text` may be the beginning of a longer text.
 */
export function layOutJson(text: string): string {
  let level = 0
  const newLine = (change: number) => {
    level = Math.max(0, level + change)
    return `\n${"  ".repeat(Math.min(level, LEVELS_MAX))}`
  }
  return text.replaceAll(/"(?:[^"\\]+|\\.)*"?|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/gs, (token) => {
    if (token === "{" || token === "[") return token + newLine(1)
    if (token === "}" || token === "]") return newLine(-1) + token
    if (token === ",") return token + newLine(0)
    if (token === ":") return ": "
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, "")
  })
}

/** JSON on one line. JSON has raw line breaks only between tokens, where a space means the same. */
export function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, " ")
}
