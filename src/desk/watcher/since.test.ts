/** `GET /desk/waiting?since=ETAG`: only what has changed. `since.long.test.ts` follows more random changes. */
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { applyChange, type WaitingChange } from "../../contract/waiting-change.ts"
import type { Answer } from "../../platform/http/send.ts"
import { parseAccess } from "../people/access-file.ts"
import type { Session } from "../people/people-interface.ts"
import { viewerOfSession } from "../people/visibility.ts"
import { ada, ben } from "../record/testing/deciding.ts"
import { sqliteForTest } from "../store/testing/stores.ts"
import { readApprovalList, readOneWork } from "./read-resources.ts"
import { openInbox } from "../inbox/testing/inbox.ts"
import { followAtRandom } from "../inbox/testing/random-changes.ts"
import { fakeApproval, fakeWork, range, workJson } from "./testing/simulation.ts"
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

// The limit of the test is shorter than the wait.
test("an ETag that the desk does not know is answered at once with everything", { timeout: 20_000 }, async () => {
  const desk = await startDesk(waitingWorks(2))
  const { etag } = await until(desk, isComplete)
  for (const unknown of ['W/"another"', '"another"', "another", "*", ""]) {
    const reply = await desk.ask(since(unknown, "&wait=25"))
    expect([reply.status, reply.etag]).toEqual([200, etag])
    expect(approvalsOf(reply)).toEqual(["a0", "a1"])
    expect(reply.text).not.toContain('"since"')
  }
})

test.each([
  [`${since('"x"')}&since=%22x%22`, 400],
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

describe("with sign-in", () => {
  const access = parseAccess('{"roles":{"reader":["anyone"]},"visibility":{"overseers":["email:ada@example.com"]}}')

  /** A desk with one Work that only its creator and Ada see. `ask` gives the answer of this moment. */
  async function startInbox() {
    const database = await sqliteForTest()
    const time = { now: 1 }
    const inbox = await openInbox(
      database,
      () => access,
      () => time.now,
    )
    onTestFinished(inbox.stop)
    const { state, polls, workPeople } = inbox
    const put = (id: string) => {
      state.applyWork(readOneWork(JSON.stringify(workJson(fakeWork(`w${id}`, 0)))), 1, 0)
      const watched = state.works.get(`w${id}`)
      if (watched === undefined) throw new Error("the Work is watched")
      state.applyApprovals(watched, readApprovalList(JSON.stringify({ data: [fakeApproval(id)] })), 1)
      time.now += 5_000
    }
    put("a")
    await workPeople.refresh(state.works.keys())
    const ask = (session: Session, since?: string) => {
      const query = since === undefined ? "" : `since=${encodeURIComponent(since)}`
      const answers: Answer[] = []
      polls.add({ query, audience: () => viewerOfSession(session, access) }, (answer) => answers.push(answer))
      const { status, headers, body } = answers[0] ?? expect.unreachable()
      return { status, etag: headers["ETag"] ?? "", content: JSON.parse(body.toString() || "{}") }
    }
    return { database, time, put, ask, workPeople, polls }
  }

  test("the last eight answers of a person are known, for 60 s since they were told or confirmed, and to nobody else", async () => {
    const { time, put, ask } = await startInbox()
    const first = ask(ada)
    const others = range(7).map((index) => {
      put(`b${index}`)
      return ask(ada)
    })
    expect(ask(ada, first.etag).content.since).toBe(first.etag)
    expect(ask(ben, first.etag).content).not.toHaveProperty("since")
    const last = others.at(-1)?.etag ?? ""
    time.now += 50_000
    expect(ask(ada, last).status).toBe(304)
    time.now += 50_000
    put("c")
    // `first` was told last more than 60 s ago.
    expect(ask(ada, first.etag).content).not.toHaveProperty("since")
    expect(ask(ada, last).content).toMatchObject({ since: last, gone: [] })
    for (const index of range(8)) {
      put(`d${index}`)
      ask(ada)
    }
    expect(ask(ada, last).content).not.toHaveProperty("since")
  })

  test("a held request is answered when its person may see other Works by another sign-in", async () => {
    const { put, ask, polls } = await startInbox()
    put("a")
    const query = `since=${encodeURIComponent(ask(ada).etag)}&wait=25`
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const answers: Answer[] = []
    let session = ada
    polls.add({ query, audience: () => viewerOfSession(session, access) }, (answer) => answers.push(answer))
    const { email: _, ...identity } = ada.identity
    session = { ...ada, identity }
    polls.checkAudiences()
    vi.advanceTimersByTime(1_000)
    const [answer] = answers
    expect(JSON.parse(String(answer?.body))).toMatchObject({ gone: [{ work: "wa", item: "a" }], total: 0 })
  })

  test("what a person comes to see is in their next answer, and nobody hears of what they do not see", async () => {
    const { database, time, ask, workPeople, put } = await startInbox()
    const before = ask(ben)
    expect(before.content).toMatchObject({ approvals: [], total: 0 })
    await database.write(
      "INSERT INTO work_person (work_id, person_id, deed, teams) VALUES ('wb', 'ben', 'creator', NULL)",
    )
    put("b")
    expect(ask(ben, before.etag).status).toBe(304)
    await workPeople.refresh(["wb"])
    time.now += 250
    const { content } = ask(ben, before.etag)
    expect(content).toMatchObject({ since: before.etag, changed: { approvals: [{ work: { id: "wb" } }] }, total: 1 })
    expect(JSON.stringify(content)).not.toContain("wa")
  })
})

test("twenty people who follow two desks by changes have what the whole answers say", { timeout: 60_000 }, async () => {
  const { broken, changes, wholes, unchanged } = await followAtRandom(1, 600)
  expect(broken).toEqual([])
  expect(Math.min(changes, wholes, unchanged)).toBeGreaterThan(5)
})
