import { expect, onTestFinished, test, vi } from "vitest"
import { createFetchReader, startRecordingUpstream, waitingWorks } from "../waiting/testing/watcher.ts"
import { DeskQueries } from "./desk-queries.ts"

test("a fresh list is answered as soon as the list was read, and has new Work", { timeout: 5_000 }, async () => {
  const upstream = await startRecordingUpstream(waitingWorks(2))
  let ahead = 0
  const queries = new DeskQueries({
    readUpstream: createFetchReader(upstream.url),
    now: () => performance.now() + ahead,
  })
  onTestFinished(() => queries.stop())
  await queries.work("", false)
  // The last read of the list is long enough ago for another read at once.
  ahead = 1_000
  upstream.control.works = waitingWorks(3)
  // Without timers only a read of the list can end the wait.
  vi.useFakeTimers({ toFake: ["setTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = await queries.work("", true)
  expect("body" in answer && String(answer.body)).toContain('"w2"')
})
