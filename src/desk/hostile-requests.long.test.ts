import { test } from "vitest"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { describeStores, databaseForTest } from "./store/testing/stores.ts"
import { searchConcealedWork, searchHostileRequests, startHostileDesk } from "./testing/hostile-requests.ts"

describeStores("a search that is new each time", ({ newStore }) => {
  const newDesk = async () => startHostileDesk(await serviceWithItems(), await databaseForTest(await newStore()))

  test("no request makes the desk fail", { timeout: 900_000 }, async () => {
    await searchHostileRequests(await newDesk(), { runs: 1_000, fresh: true })
  })

  test("concealed Work is answered as Work that does not exist", { timeout: 300_000 }, async () => {
    await searchConcealedWork(await newDesk(), { runs: 500, fresh: true })
  })
})
