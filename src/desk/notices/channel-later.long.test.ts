import { expect, test } from "vitest"
import { openStore, startTestProxy } from "../testing/desk.ts"
import { startReceiver, webhookTo } from "../testing/notices.ts"
import { change, TIMEOUT } from "../testing/own-work.ts"
import { fakeWork, problem } from "../watcher/testing/simulation.ts"
import { startRecordingUpstream } from "../watcher/testing/watcher.ts"
import type { Channel } from "./channel.ts"

test("what became of Work while the desk had no channel is not told by a later one", async () => {
  const receiver = await startReceiver()
  const works = [fakeWork("work_1", 1), fakeWork("work_2", 2), fakeWork("work_3", 3)]
  const [done, paused, later] = works
  const upstream = await startRecordingUpstream(works)
  const store = await openStore()
  const { database } = store
  const run = (notices: readonly Channel[]) => startTestProxy(upstream.url, { ...store, notices })
  const known = () => database.read("SELECT work_id FROM noticed_work")

  const first = await run([webhookTo(receiver.url)])
  await expect.poll(known, TIMEOUT).toHaveLength(3)
  await first.stop()
  const without = await run([])
  await expect.poll(known, TIMEOUT).toEqual([])
  change(done, "done")
  change(paused, "paused")
  await without.stop()

  // The desk learns only after its first look what is done.
  const failing = { status: 503, body: problem(503, "UNAVAILABLE").body }
  upstream.control.behave = (target) => (target.includes("status=done") ? failing : undefined)
  await run([webhookTo(receiver.url)])
  await expect.poll(known, TIMEOUT).toHaveLength(2)
  upstream.control.behave = () => undefined
  change(later, "done")
  // The list of done Work is read once a minute.
  await expect.poll(known, { timeout: 90_000 }).toEqual([{ work_id: "work_2" }])
  const told = () => receiver.received.map(({ event }) => `${event.type} ${event.data["work_id"]}`)
  await expect.poll(told, TIMEOUT).toContain("work.done work_3")
  expect(told()).toEqual(["work.done work_3"])
}, 120_000)
