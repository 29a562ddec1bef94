import { test } from "vitest"
import { runEveryNotice } from "../testing/failing-calls.ts"

/** A run mostly waits for its next attempt, so several run at once. */
const RUNS_AT_ONCE = 4

test.each(["before", "after"] as const)(
  "each call of the store fails, one after the other, %s it does its work",
  async (when) => {
    const calls = await runEveryNotice()
    let last = 0
    const runNext = async () => {
      while (last < calls) await runEveryNotice({ call: ++last, when })
    }
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, runNext))
  },
  1_200_000,
)
