import { expect, test } from "vitest"
import { analyst } from "./analyst/analyst.ts"
import type { Colleague } from "./colleague.ts"
import { editor } from "./editor/editor.ts"
import { HOSTILE_MARKDOWN, HOSTILE_TABLES } from "./testing/hostile-inputs.ts"
import { slowestStep } from "./testing/slowest-step.ts"

// hostile-inputs.long.test.ts measures all inputs.
const MARKDOWN = [
  "2,000 backticks",
  "a heading with 100,000 spaces",
  "spaces at the end of a line",
  "an address and 100,000 dots",
  "50,000 nested quotes",
  "nested lists",
  "25,000 headings",
  "a run of !",
  "words between _",
  "words between ?",
  "brackets that are never closed",
  "images in links",
  "rows and no table",
  "front matter and dashes",
  "one huge table cell",
]
const TABLES = ["100,000 columns", "one huge cell", "one huge cell of digits", "nested lists", "a million cells"]

const BOUND_MS = 200

test.each([
  ...MARKDOWN.map((name) => [name, editor, "text/markdown", HOSTILE_MARKDOWN[name]] as const),
  ...TABLES.map((name) => [name, analyst, "text/plain", HOSTILE_TABLES[name]] as const),
])("%s: no step takes 200 ms of processor time", async (_, colleague: Colleague, mediaType, content = "") => {
  expect(content.length).toBeGreaterThan(1000)
  // A busy machine can only make a measurement larger, so the best of three counts.
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 3 && best >= BOUND_MS; attempt += 1)
    best = Math.min(best, await slowestStep(colleague, { mediaType, content }))
  expect(best).toBeLessThan(BOUND_MS)
})
