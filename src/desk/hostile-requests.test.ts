import { test } from "vitest"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { searchConcealedWork, searchHostileRequests, startHostileDesk } from "./testing/hostile-requests.ts"

test("no request makes the desk fail", async () => {
  await searchHostileRequests(await startHostileDesk(await serviceWithItems()), { runs: 80 })
})

test("concealed Work is answered as Work that does not exist", async () => {
  await searchConcealedWork(await startHostileDesk(await serviceWithItems()), { runs: 30 })
})
