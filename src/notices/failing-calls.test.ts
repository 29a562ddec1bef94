import { expect, test } from "vitest"
import { tellEverything } from "../desk/testing/failing-calls.ts"

/** `failing-calls.long.test.ts` fails each call. */
const EACH = 13

test("a store that fails at any call of the notices loses nothing, and nothing is told twice", async () => {
  const calls = await tellEverything()
  expect(calls).toBeGreaterThan(50)
  for (let call = 1; call <= calls; call += EACH) {
    await tellEverything({ call, when: call % 2 === 0 ? "before" : "after" })
  }
}, 120_000)
