import { expect, test } from "vitest"
import { analyst } from "./analyst/analyst.ts"
import type { Colleague } from "./colleague.ts"
import { editor } from "./editor/editor.ts"
import { markdown, SLOW_INPUTS, table } from "./testing/slow-inputs.ts"
import { slowestStep } from "./testing/slowest-step.ts"

const COLLEAGUES: Readonly<Record<"analyst" | "editor", Colleague>> = { analyst, editor }

// hostile-inputs.long.test.ts measures all inputs.
const INPUTS = [
  ...SLOW_INPUTS,
  markdown("spaces at the end of a line"),
  markdown("words between ?"),
  markdown("brackets that are never closed"),
  markdown("images in links"),
  markdown("rows and no table"),
  markdown("front matter and dashes"),
  table("one huge cell"),
]

const BOUND_MS = 200

test.each(INPUTS)("$name: no step takes 200 ms of processor time", async ({ colleague, mediaType, content }) => {
  expect(content.length).toBeGreaterThan(1000)
  // A busy machine can only make a measurement larger, so the best of five counts.
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && best >= BOUND_MS; attempt += 1)
    best = Math.min(best, await slowestStep(COLLEAGUES[colleague], { mediaType, content }))
  expect(best).toBeLessThan(BOUND_MS)
})
