import { test } from "vitest"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { searchHostileRequests, startHostileDesk } from "./testing/hostile-requests.ts"

test("no request makes the desk fail", async () => {
  await searchHostileRequests(await startHostileDesk(await serviceWithItems()), { runs: 80 })
})
