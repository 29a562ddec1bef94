const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+|\s+/gs

/** Whether `text` is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Lays JSON out with a line for each member. Every token stays as it was sent. Parsing and writing again would change large integers, `1.0`,
 * `\u202e` and names that occur twice. `text` may be the beginning of a longer text.
 */
export function layOutJson(text: string): string {
  let depth = 0
  let previous = ""
  let laidOut = ""
  const newLine = () => `\n${"  ".repeat(depth)}`
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\s/.test(token)) continue
    if (token === "}" || token === "]") depth = Math.max(0, depth - 1)
    const closesEmpty = (token === "}" && previous === "{") || (token === "]" && previous === "[")
    const beginsLine =
      previous === "," || previous === "{" || previous === "[" || ((token === "}" || token === "]") && previous !== "")
    if (beginsLine && !closesEmpty) laidOut += newLine()
    if (previous === ":") laidOut += " "
    laidOut += token
    if (token === "{" || token === "[") depth++
    previous = token
  }
  return laidOut
}

/** JSON on one line. JSON has raw line breaks only between tokens, where a space means the same. */
export function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, " ")
}
