import { test } from "vitest"
import { describeStores } from "./store/testing/stores.ts"
import { searchInbox } from "./testing/inbox-search.ts"

describeStores("a search that is new each time", ({ newStore }) => {
  test("a desk shows and does what the model of the inbox says", { timeout: 900_000 }, async () => {
    await searchInbox(newStore, { runs: 10, steps: 30, fresh: true })
  })
})
