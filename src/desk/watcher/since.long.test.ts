/** More random changes than `since.test.ts` follows. */
import { expect, test } from "vitest"
import { followAtRandom } from "../inbox/testing/random-changes.ts"

test.each([11, 12, 13])(
  "seed %i: 10,000 changes lead to what the whole answers say",
  { timeout: 600_000 },
  async (seed) => {
    expect((await followAtRandom(seed, 10_000)).broken).toEqual([])
  },
)
