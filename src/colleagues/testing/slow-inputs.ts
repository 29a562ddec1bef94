import { HOSTILE_MARKDOWN, HOSTILE_TABLES } from "./hostile-inputs.ts"

/** A hostile input, and the colleague that reads it. */
export type SlowInput = {
  readonly name: string
  readonly colleague: "analyst" | "editor"
  readonly mediaType: string
  readonly content: string
}

/**
 * A choice of the hostile inputs, in which each kind of slow parsing is once. The last stopped a desk without worker threads for two
 * minutes: a benchmark that measures such a desk measures it last.
 */
export const SLOW_INPUTS: readonly SlowInput[] = [
  markdown("2,000 backticks"),
  markdown("an address and 100,000 dots"),
  markdown("50,000 nested quotes"),
  markdown("nested lists"),
  markdown("25,000 headings"),
  markdown("a run of !"),
  markdown("words between _"),
  markdown("one huge table cell"),
  table("100,000 columns"),
  table("1,000 columns"),
  table("one huge cell of digits"),
  table("nested lists"),
  table("a million cells"),
  markdown("a heading with 100,000 spaces"),
]

/** A hostile Markdown text for the editor. */
export function markdown(name: string): SlowInput {
  return { name, colleague: "editor", mediaType: "text/markdown", content: contentOf(HOSTILE_MARKDOWN, name) }
}

/** A hostile table for the analyst. The analyst finds out the format of a plain text. */
export function table(name: string): SlowInput {
  return { name, colleague: "analyst", mediaType: "text/plain", content: contentOf(HOSTILE_TABLES, name) }
}

function contentOf(inputs: Readonly<Record<string, string>>, name: string): string {
  const content = inputs[name]
  if (content === undefined) throw new Error(`There is no hostile input "${name}"`)
  return content
}
