import { expect, onTestFinished, test, vi } from "vitest"
import { createFetchReader, startRecordingUpstream, waitingWorks } from "../watcher/testing/watcher.ts"
import { fakeApproval } from "../watcher/testing/simulation.ts"
import { DeskQueries } from "./desk-queries.ts"

test("a fresh list is answered as soon as the list was read, and has new Work", { timeout: 5_000 }, async () => {
  const upstream = await startRecordingUpstream(waitingWorks(2))
  let ahead = 0
  const queries = new DeskQueries({
    readUpstream: createFetchReader(upstream.url),
    now: () => performance.now() + ahead,
  })
  onTestFinished(() => queries.stop())
  await queries.openWork("", false, "everything", () => Promise.resolve(new Set()))
  // The last read of the list is long enough ago for another read at once.
  ahead = 1_000
  upstream.control.works = waitingWorks(3)
  // Without timers only a read of the list can end the wait.
  vi.useFakeTimers({ toFake: ["setTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = await queries.openWork("", true, "everything", () => Promise.resolve(new Set()))
  expect(String(answer.body)).toContain('"w2"')
})

test("an overview says when the upstream answered last, and that it does not answer now", async () => {
  const upstream = await startRecordingUpstream(waitingWorks(2))
  let ahead = 0
  const queries = new DeskQueries({
    readUpstream: createFetchReader(upstream.url),
    now: () => performance.now() + ahead,
  })
  onTestFinished(() => queries.stop())
  const overview = () => queries.overview("", "everything")
  await expect.poll(overview).toMatchObject({ checked: 2, complete: true, oldest_check_at: expect.any(String) })
  expect(await overview()).not.toHaveProperty("problem")
  const before = Date.now()
  upstream.stop()
  await expect
    .poll(async () => {
      ahead += 10_000
      return overview()
    })
    .toMatchObject({ checked: 2, problem: { status: 502, code: "PROXY_UPSTREAM_UNREACHABLE" } })
  expect(Date.parse((await overview()).oldest_check_at ?? "")).toBeLessThanOrEqual(before)
})

test("the median time to decide counts approvals that the desk knows from the answer to the decision alone", async () => {
  const upstream = await startRecordingUpstream([])
  const at = Date.now()
  const minutesAgo = (minutes: number) => new Date(at - minutes * 60_000).toISOString()
  const decisions = [1, 2, 3, 4, 5].map((index) => {
    return { sequence: index, workId: "w", approvalId: `a${index}`, decision: "approve", at, personId: "ada" }
  })
  const queries = new DeskQueries({
    readUpstream: createFetchReader(upstream.url),
    readDecisions: () => Promise.resolve(decisions),
  })
  onTestFinished(() => queries.stop())
  for (const index of [1, 2, 3, 4, 5]) {
    const answer = fakeApproval(`a${index}`, { status: "approved", created_at: minutesAgo(index) })
    queries.watcher.decided({ kind: "approval", workId: "w", itemId: `a${index}` }, JSON.stringify(answer))
  }
  queries.watcher.decided({ kind: "approval", workId: "w", itemId: "a6" }, "no approval")
  const overview = await queries.overview("", "everything")
  expect(overview).toMatchObject({
    decisions: { median_seconds: 180, range_seconds: [60, 300] },
  })
})
