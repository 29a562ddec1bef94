import { describe, test } from "vitest"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { databaseForTest, describeStores } from "./store/testing/stores.ts"
import {
  checkAfterwards,
  DESK_WRITES,
  failEachCall,
  FAULTS,
  MUTATIONS,
  OF_SEVERAL,
  startFaultyDesk,
} from "./testing/failing-requests.ts"

const CHANGES = [MUTATIONS, DESK_WRITES, OF_SEVERAL].flatMap((changes) => Object.entries(changes))

describeStores("each call fails, one after the other", ({ newStore }) => {
  describe.each(CHANGES)("%s", (name, change) => {
    test.each(FAULTS)("the $of, $how", { timeout: 240_000 }, async (fault) => {
      const database = await databaseForTest(await newStore())
      const desk = await startFaultyDesk(await serviceWithItems(), database, { isSeveral: name in OF_SEVERAL })
      await failEachCall(desk, change, fault)
      await checkAfterwards(desk)
    })
  })
})
