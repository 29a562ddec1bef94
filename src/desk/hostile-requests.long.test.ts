import { test } from "vitest"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { describeStores, databaseForTest } from "./store/testing/stores.ts"
import { searchHostileRequests, startHostileDesk } from "./testing/hostile-requests.ts"

describeStores("a search that is new each time", ({ newStore }) => {
  test("no request makes the desk fail", { timeout: 900_000 }, async () => {
    const desk = await startHostileDesk(await serviceWithItems(), await databaseForTest(await newStore()))
    await searchHostileRequests(desk, { runs: 1_000, fresh: true })
  })
})
