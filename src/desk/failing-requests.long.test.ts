import { describe, test } from "vitest"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { databaseForTest, describeStores } from "./store/testing/stores.ts"
import { checkAfterwards, failEachCall } from "./testing/failing-requests.ts"
import { startFaultyDesk } from "./testing/faulty-desk.ts"
import { CHANGES } from "./testing/tried-changes.ts"

describeStores("each call fails, one after the other", ({ newStore }) => {
  describe.each([...CHANGES].map(([name, tried]) => ({ name, ...tried })))("$name", ({ change, options, faults }) => {
    test.each(faults)("the $of, $how", { timeout: 240_000 }, async (fault) => {
      const database = await databaseForTest(await newStore())
      const desk = await startFaultyDesk(await serviceWithItems(), database, options)
      await failEachCall(desk, change, fault)
      await checkAfterwards(desk)
    })
  })
})
