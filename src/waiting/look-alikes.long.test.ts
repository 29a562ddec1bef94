import { describe, it } from "vitest"
import { expectFastSearch, MANY } from "./many-destinations.ts"

// look-alikes.test.ts has the rest, with ten thousand.
describe("a hundred thousand known destinations are searched within 20 ms", () => {
  it.each(MANY)("as %s", (_, textOf, asked) => expectFastSearch(100_000, textOf, asked))
})
