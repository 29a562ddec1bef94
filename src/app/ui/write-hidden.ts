import { splitHidden } from "./hidden-characters.ts"

/** The text with `[U+202E]` for each hidden character, for places that take no elements: the title of a tab, an option. */
export function writeHidden(text: string): string {
  return splitHidden(text)
    .map((part) => ("text" in part ? part.text : `[${part.hidden}]`))
    .join("")
}
