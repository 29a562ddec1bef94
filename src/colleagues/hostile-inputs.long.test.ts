import { expect, test } from "vitest"
import { analyst } from "./analyst/analyst.ts"
import type { Colleague } from "./colleague.ts"
import { editor } from "./editor/editor.ts"
import { HOSTILE_MARKDOWN, HOSTILE_TABLES } from "./testing/hostile-inputs.ts"
import { slowestStep } from "./testing/slowest-step.ts"

const BOUND_MS = 200

test.each([
  ...Object.entries(HOSTILE_MARKDOWN).flatMap(([name, content]) => [
    [name, editor, "text/markdown", content] as const,
    [name, editor, "text/plain", content] as const,
  ]),
  ...Object.entries(HOSTILE_TABLES).flatMap(([name, content]) => [
    [name, analyst, "text/csv", content] as const,
    [name, analyst, "application/json", content] as const,
    [name, analyst, "text/plain", content] as const,
  ]),
])("%s: no step takes 200 ms of processor time", async (_, colleague: Colleague, mediaType, content) => {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 5 && best >= BOUND_MS; attempt += 1)
    best = Math.min(best, await slowestStep(colleague, { mediaType, content }))
  expect(best).toBeLessThan(BOUND_MS)
})
