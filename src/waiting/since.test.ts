/** `GET /desk/waiting?since=ETAG`: only what has changed. `since.long.test.ts` follows more random changes. */
import { expect, test } from "vitest"
import { applyChange, type WaitingChange } from "../contract/waiting-change.ts"
import { followAtRandom } from "./testing/random-changes.ts"
import { fakeApproval } from "./testing/simulation.ts"
import { approvalsOf, isComplete, startDesk, until, waitingWorks, type WaitingReply } from "./testing/watcher.ts"

const since = (etag: string, more = "") => `?since=${encodeURIComponent(etag)}${more}`
const changeOf = ({ text }: WaitingReply): WaitingChange => JSON.parse(text)

test("a request with since is answered at the first change, with what is new and what is gone", async () => {
  const desk = await startDesk(waitingWorks(3))
  const before = await until(desk, isComplete)
  const answer = desk.ask(since(before.etag, "&wait=25"))
  desk.works[0]?.approvals.splice(0, 1, fakeApproval("new", { created_at: "2027-01-01T00:00:00Z" }))
  desk.watcher.hint("w0")
  const reply = await answer
  const change = changeOf(reply)
  expect(reply).toMatchObject({ status: 200, etag: change.etag })
  expect(change).toEqual({
    etag: expect.stringMatching(/^W\/"[^"]+"$/),
    since: before.etag,
    changed: {
      attention: [],
      approvals: [{ work: expect.objectContaining({ id: "w0" }), item: expect.objectContaining({ id: "new" }) }],
    },
    gone: [{ work: "w0", item: "a0" }],
    checked: 3,
    total: 3,
    complete: true,
    oldest_check_at: expect.any(String),
  })
  const whole = await desk.ask()
  expect(whole.etag).toBe(change.etag)
  const { oldest_check_at: _, ...wanted } = JSON.parse(whole.text)
  expect(applyChange(JSON.parse(before.text), change)).toMatchObject(wanted)
})

test("without a change the answer is 304, at once or after its time, and If-None-Match does not count beside since", async () => {
  const desk = await startDesk(waitingWorks(2))
  const { etag } = await until(desk, isComplete)
  const atOnce = await desk.ask(since(etag))
  expect([atOnce.status, atOnce.text, atOnce.etag]).toEqual([304, "", etag])
  const later = await desk.ask(since(etag, "&wait=1"), '"another"')
  expect(later.status).toBe(304)
  expect(later.ms).toBeGreaterThan(900)
  desk.works[0]?.approvals.push(fakeApproval("new"))
  desk.watcher.hint("w0")
  const next = await until(desk, ({ approvals }) => approvals.length === 3)
  // The client holds what `since` names. A 304 would leave it there.
  const change = changeOf(await desk.ask(since(etag), next.etag))
  expect(change.changed.approvals.map(({ item }) => item.id)).toEqual(["new"])
})

test("an ETag that the desk does not know is answered at once with everything", async () => {
  const desk = await startDesk(waitingWorks(2))
  const { etag } = await until(desk, isComplete)
  for (const unknown of ['W/"another"', '"another"', '""']) {
    const reply = await desk.ask(since(unknown, "&wait=25"))
    expect([reply.status, reply.etag]).toEqual([200, etag])
    expect(reply.ms).toBeLessThan(1_000)
    expect(approvalsOf(reply)).toEqual(["a0", "a1"])
    expect(reply.text).not.toContain('"since"')
  }
})

test.each([
  ["?since=", 400],
  ["?since=x", 400],
  ["?since=*", 400],
  [`${since('"x"')}&since=%22x%22`, 400],
  [since('"x", "y"'), 400],
  [since('"x"', "&wait=26"), 400],
  [since('"x"', "&wait=0"), 200],
])("%s is %i", async (query, status) => {
  const desk = await startDesk([])
  const reply = await desk.ask(query)
  expect(reply.status).toBe(status)
  if (status === 400) expect(JSON.parse(reply.text)).toMatchObject({ code: "PROXY_QUERY_INVALID" })
})

test("a desk that stops answers a held request with an empty change", async () => {
  const desk = await startDesk(waitingWorks(1))
  const { etag } = await until(desk, isComplete)
  const answer = desk.ask(since(etag, "&wait=25"))
  await expect.poll(async () => (await desk.ask()).status).toBe(200)
  desk.watcher.stop()
  const reply = await answer
  expect(reply.status).toBe(200)
  expect(changeOf(reply)).toMatchObject({ etag, since: etag, changed: { attention: [], approvals: [] }, gone: [] })
})

test("twenty people who follow two desks by changes have what the whole answers say", { timeout: 60_000 }, async () => {
  const { broken, changes, wholes, unchanged } = await followAtRandom(1, 600)
  expect(broken).toEqual([])
  expect(Math.min(changes, wholes, unchanged)).toBeGreaterThan(5)
})
