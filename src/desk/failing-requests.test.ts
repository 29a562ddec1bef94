import { expect, test } from "vitest"
import { operations } from "../contract/operations.ts"
import { serviceWithItems } from "../service/testing/waiting-items.ts"
import { sqliteForTest } from "./store/testing/stores.ts"
import { checkAfterwards, failEachCall, failOneCall } from "./testing/failing-requests.ts"
import { startFaultyDesk } from "./testing/faulty-desk.ts"
import { addressOf, CHANGES, DESK_WRITES, MUTATIONS, NOT_TRIED, OF_NOTICES } from "./testing/tried-changes.ts"

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

test("an approve whose COMMIT loses its answer never left, and an absence whose COMMIT does is accepted again", async () => {
  const desk = await newDesk()
  // These calls were found by the long search. The watcher's own calls may move the COMMIT by one.
  for (const call of [8, 9, 10]) await failOneCall(desk, MUTATIONS.approve, { of: "store", how: "lost", call })
  await failOneCall(desk, DESK_WRITES.away, { of: "store", how: "lost", call: 2 })
  await checkAfterwards(desk)
})

test("a first device, whose answer was lost before push was switched on, is pushed to when it is sent again", async () => {
  const desk = await startFaultyDesk(await serviceWithItems(), await sqliteForTest(), { hasNotices: true })
  await failEachCall(desk, OF_NOTICES.device, { of: "store", how: "cut" })
})

test("every address that changes something is tried while its calls fail", async () => {
  const desks = new Map<string, Awaited<ReturnType<typeof startFaultyDesk>>>()
  const tried = new Set<string>()
  for (const { change, options } of CHANGES.values()) {
    const key = JSON.stringify(options)
    const desk = desks.get(key) ?? (await startFaultyDesk(await serviceWithItems(), await sqliteForTest(), options))
    desks.set(key, desk)
    tried.add((await addressOf(desk, change)) ?? expect.unreachable())
  }
  const routes = [...desks.values()].flatMap((desk) => Object.keys(desk.routes))
  const ofApi = Object.values(operations).map(({ method, path }) => `${method} ${path}`)
  const writing = [...routes, ...ofApi].filter((address) => !address.startsWith("GET "))
  expect([...tried, ...Object.keys(NOT_TRIED)].toSorted()).toEqual([...new Set(writing)].toSorted())
})
