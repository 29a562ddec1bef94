/** Runs a property of `fast-check` with a few cases that are always the same, or with many that are new each time. */
import * as fc from "fast-check"

/** `npm test` tries the same cases each time, so that a failure comes from the change and not from new cases. */
const SEED = 57

export type Search<Case> = {
  /** How many cases are tried. `fresh` tries new cases in each run, and prints their seed. */
  readonly runs: number
  readonly fresh?: boolean
  /** Cases that failed once. They are tried first. */
  readonly cases?: readonly Case[]
}

/** Looks for a case that fails, and with `fresh` shrinks it. The error has the case, and the seed for `SEARCH_SEED`. @throws Error */
export async function search<Case>(
  arbitrary: fc.Arbitrary<Case>,
  { runs, fresh = false, cases = [] }: Search<Case>,
  check: (tried: Case) => void | Promise<void>,
): Promise<void> {
  const given = process.env["SEARCH_SEED"]
  const seed = given === undefined ? (fresh ? Date.now() % 2 ** 31 : SEED) : Number(given)
  if (fresh) console.log(`SEARCH_SEED=${seed}`)
  await fc.assert(
    fc.asyncProperty(arbitrary, async (tried) => {
      try {
        await check(tried)
      } catch (error) {
        // The test may reach its time limit before the smallest case is found.
        console.log(`fails: ${JSON.stringify(tried)}: ${String(error)}`)
        throw error
      }
    }),
    { seed, endOnFailure: !fresh, numRuns: runs + cases.length, examples: cases.map((tried): [Case] => [tried]) },
  )
}
