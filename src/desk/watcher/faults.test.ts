/** Faults and restarts of the upstream and of the desk. The tests run at the same time, because each waits for pauses most of its time. */
import { expect, test } from "vitest"
import { fakeApproval, problem } from "./testing/simulation.ts"
import {
  approvalsOf,
  askWaiting,
  contentOf,
  isComplete,
  createFetchReader,
  startDesk,
  startWatcherHost,
  until,
  waitingWorks,
  type Behaviour,
} from "./testing/watcher.ts"

type Behave = (target: string) => Behaviour

const faults: readonly (readonly [fault: string, behave: Behave, status: number | undefined])[] = [
  ["401", () => problem(401, "UNAUTHENTICATED"), 401],
  ["403 for one Work", (target) => (target.includes("/w3/") ? problem(403, "FORBIDDEN") : undefined), undefined],
  ["403 for all Work", (target) => (target.endsWith("/approvals") ? problem(403, "FORBIDDEN") : undefined), undefined],
  ["404 for one Work", (target) => (target.includes("/w3/") ? problem(404, "NOT_FOUND") : undefined), undefined],
  ["429", () => ({ ...problem(429, "RATE_LIMITED"), headers: { "Retry-After": "1" } }), 429],
  ["503", () => ({ ...problem(503, "UNAVAILABLE"), headers: { "Retry-After": "1" } }), 503],
  ["hanging", () => "hang", 504],
  ["a cut connection", () => "cut", 502],
  ["garbage", () => ({ status: 200, body: "<html>" }), 502],
]

test.concurrent.for(faults)(
  "%s: counts stay honest, nothing that waits is lost, and the desk heals",
  async ([fault, behave, status], { onTestFinished }) => {
    const desk = await startDesk(waitingWorks(6), onTestFinished)
    const before = await until(desk, isComplete)
    expect(contentOf(before).approvals).toHaveLength(6)
    desk.upstream.control.behave = behave
    for (const { id } of desk.works) desk.watcher.hint(id)
    desk.watcher.hintList()
    if (status === undefined) {
      const isRefused = () => desk.upstream.heard.some(({ target }) => behave(target) !== undefined)
      await expect.poll(isRefused).toBe(true)
    } else {
      await until(desk, (content) => content.problem?.status === status)
    }
    const during = contentOf(await desk.ask())
    expect([during.total, during.checked]).toEqual([6, 6])
    // Only a 404 of the service removes a Work.
    expect(during.approvals.length).toBeGreaterThanOrEqual(fault.startsWith("404") ? 5 : 6)
    // After a 401 the next try comes after 30 s (`read-plan-failures.test.ts`).
    if (fault === "401") return
    desk.upstream.control.behave = () => undefined
    const healed = await until(desk, (content) => content.problem === undefined && content.approvals.length === 6)
    expect(healed.etag).toBe(before.etag)
  },
)

test.concurrent("the first reads fail: nothing is complete until the upstream answers again", async ({
  onTestFinished,
}) => {
  const desk = await startDesk(waitingWorks(6), onTestFinished)
  desk.upstream.control.behave = () => problem(500, "BROKEN")
  const failed = await until(desk, (content) => content.problem !== undefined)
  expect(contentOf(failed)).toMatchObject({ complete: false, checked: 0, total: 0, problem: { status: 500 } })
  desk.upstream.control.behave = () => undefined
  const healed = await until(desk, isComplete)
  expect([contentOf(healed).approvals.length, contentOf(healed).problem]).toEqual([6, undefined])
})

test.concurrent("the upstream restarts: no waiting item is lost, and the desk finds new items", async ({
  onTestFinished,
}) => {
  const desk = await startDesk(waitingWorks(6), onTestFinished)
  await until(desk, isComplete)
  desk.upstream.stop()
  const away = await until(desk, (content) => content.problem?.code === "PROXY_UPSTREAM_UNREACHABLE")
  expect(contentOf(away)).toMatchObject({ checked: 6, total: 6, complete: true })
  expect(approvalsOf(away)).toHaveLength(6)
  desk.works[3]?.approvals.push(fakeApproval("meanwhile"))
  // The service listens already, and refuses until it is ready.
  desk.upstream.control.behave = () => problem(503, "STARTING")
  await desk.upstream.startAgain()
  const starting = await until(desk, (content) => content.problem?.status === 503)
  expect([contentOf(starting).total, approvalsOf(starting).length]).toEqual([6, 6])
  desk.upstream.control.behave = () => undefined
  const healed = await until(desk, (content) => content.problem === undefined && content.approvals.length === 7)
  expect(contentOf(healed)).toMatchObject({ checked: 6, total: 6, complete: true })
})

test.concurrent.for(["there", "away"])(
  "the desk restarts while the upstream is %s: no count is complete before all Work is checked",
  async (upstreamIs, { onTestFinished }) => {
    const first = await startDesk(waitingWorks(30), onTestFinished)
    const whole = await until(first, isComplete)
    first.stop()
    const { upstream } = first
    if (upstreamIs === "away") upstream.control.behave = () => "cut"
    const { url } = await startWatcherHost({ readUpstream: createFetchReader(upstream.url) }, onTestFinished)
    let last = await askWaiting(url, "?wait=25", whole.etag)
    const contents = [contentOf(last)]
    while (!contentOf(last).complete) {
      if (contentOf(last).problem !== undefined) upstream.control.behave = () => undefined
      const next = await askWaiting(url, "?wait=5", last.etag)
      if (next.status !== 200) continue
      last = next
      contents.push(contentOf(next))
    }
    expect(contents[0]).toMatchObject({ checked: 0, total: 0, complete: false, oldest_check_at: null })
    expect(contents.some((content) => content.problem !== undefined)).toBe(upstreamIs === "away")
    expect(contents.filter(({ complete, approvals }) => complete && approvals.length < 30)).toEqual([])
    // The same content has the same ETag at the new desk.
    expect(last.etag).toBe(whole.etag)
    expect(approvalsOf(last)).toEqual(approvalsOf(whole))
  },
)

test.concurrent("during a pause that the upstream asked for, the answer says when the desk asks again", async ({
  onTestFinished,
}) => {
  const desk = await startDesk(waitingWorks(2), onTestFinished)
  const before = await until(desk, isComplete)
  expect(contentOf(before)).not.toHaveProperty("retry_at")
  desk.upstream.control.behave = () => ({ ...problem(429, "RATE_LIMITED"), headers: { "Retry-After": "3" } })
  const refused = await until(desk, (content) => content.problem?.status === 429)
  const pause = Date.parse(contentOf(refused).retry_at ?? "") - Date.now()
  expect(pause).toBeGreaterThan(0)
  expect(pause).toBeLessThanOrEqual(3_000)
  desk.upstream.control.behave = () => undefined
  const healed = await until(desk, (content) => content.problem === undefined)
  expect(contentOf(healed)).not.toHaveProperty("retry_at")
  expect(healed.etag).toBe(before.etag)
})
