import type { WorkInput } from "./bench-work.ts"

/** Inputs of the size of the largest upload that are slow to read, and the colleague that reads each. */
export type SlowInput = WorkInput & { readonly name: string }

const INPUT_MAX_BYTES = 102_400

const fill = (text: string): string => text.repeat(Math.floor(INPUT_MAX_BYTES / text.length))

const markdown = (name: string, content: string): SlowInput => ({
  name,
  colleague: "editor",
  mediaType: "text/markdown",
  content,
})

/** The analyst finds out the format of a plain text. */
const table = (name: string, content: string): SlowInput => ({
  name,
  colleague: "analyst",
  mediaType: "text/plain",
  content,
})

export const SLOW_INPUTS: readonly SlowInput[] = [
  markdown("2,000 backticks", "`".repeat(2000)),
  markdown("50,000 nested quotes", "> ".repeat(50_000)),
  markdown("25,000 headings", fill("# a\n")),
  markdown("words between _", fill("_a")),
  markdown("brackets and parentheses", fill("[a](")),
  table("1,000 columns", `${"a,".repeat(999)}a\n`.concat(`${"1,".repeat(999)}1\n`.repeat(48))),
  table("one huge cell of digits", `a,b\n${"1".repeat(100_000)},2\n3,4\n`),
  table("50,000 rows", `a,b\n${"1\n".repeat(50_000)}`),
]
