import { test } from "vitest"
import { sqliteForTest } from "./store/testing/stores.ts"
import { searchInbox } from "./testing/inbox-search.ts"

test("a desk shows and does what the model of the inbox says", { timeout: 60_000 }, async () => {
  await searchInbox(sqliteForTest, { runs: 2, steps: 16 })
})
