import { test } from "vitest"
import { runEveryNotice } from "../testing/failing-calls.ts"

test.each(["before", "after"] as const)(
  "each call of the store fails, one after the other, %s it does its work",
  async (when) => {
    const calls = await runEveryNotice()
    for (let call = 1; call <= calls; call++) await runEveryNotice({ call, when })
  },
  1_200_000,
)
