import { expect, test } from "vitest"
import { TEST_COLLEAGUES } from "../testing/colleagues.ts"
import { serviceForTest } from "../testing/test-service.ts"

test("a colleague that does not go on is ended three times, and then the service asks the owner", async () => {
  const colleagueLimits = { processorMs: 200, memoryMb: 64 }
  const service = await serviceForTest({ registry: TEST_COLLEAGUES, colleagueLimits })
  const work = await service.work({ colleague_id: "dreamer" })
  await service.answer(work, "end")
  await service.until(work, "done")
  const events = await service.eventsUntilDone(work)
  expect(events.split("\n").filter((line) => /^data:.*it made no progress/.test(line))).toHaveLength(3)
}, 60_000)
