import { test } from "vitest"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { sqliteForTest } from "./store/testing/stores.ts"
import { checkAfterwards, failEachCall, failOneCall, startFaultyDesk } from "./testing/failing-requests.ts"
import { DESK_WRITES, MUTATIONS } from "./testing/failing-requests.ts"

const newDesk = async () => startFaultyDesk(await serviceWithItems(), await sqliteForTest())

test("an approve, while each call of the service loses its answer", async () => {
  const desk = await newDesk()
  await failEachCall(desk, MUTATIONS.approve, { of: "upstream", how: "lost" })
  await failEachCall(desk, MUTATIONS.approve, { of: "upstream", how: "refused" })
  await checkAfterwards(desk)
})

test("an assignment whose COMMIT loses its answer is shown", async () => {
  const desk = await newDesk()
  // This call was found by the long search.
  await failOneCall(desk, DESK_WRITES.assignment, { of: "store", how: "lost", call: 2 })
  await checkAfterwards(desk)
})
