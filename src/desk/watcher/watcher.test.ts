import { expect, test } from "vitest"
import { fakeApproval, fakeClarification, fakeWork, problem, range } from "./testing/simulation.ts"
import {
  approvalsOf,
  askWaiting,
  contentOf,
  isComplete,
  createFetchReader,
  startDesk,
  startRecordingUpstream,
  startWatcherHost,
  until,
  waitingWorks,
} from "./testing/watcher.ts"

test("a new desk answers at once with what it has, and then tells every change", async () => {
  const began = Date.now()
  const desk = await startDesk(waitingWorks(12))
  const first = await desk.ask("?wait=25")
  expect(contentOf(first)).toMatchObject({
    approvals: [],
    checked: 0,
    total: 0,
    complete: false,
    oldest_check_at: null,
  })
  expect(first.headers["content-type"]).toBe("application/json")
  expect(first.etag).toMatch(/^W\/"[^"]+"$/)
  const last = await until(desk, isComplete)
  expect(approvalsOf(last)).toEqual(range(12).map((index) => `a${index}`))
  expect(contentOf(last)).toMatchObject({ checked: 12, total: 12 })
  expect(Date.parse(contentOf(last).oldest_check_at ?? "")).toBeGreaterThanOrEqual(began)
  expect(desk.upstream.mostAtOnce()).toBeLessThanOrEqual(4)
})

test("both lists are oldest first by the item's created_at", async () => {
  const works = waitingWorks(3)
  works.push(
    fakeWork("old", 0, {
      status: "needs_you",
      clarificationId: "q1",
      clarifications: [
        fakeClarification("q2", { created_at: "2026-11-21T12:00:00+02:00" }),
        fakeClarification("q1", { created_at: "2026-11-21T09:59:59Z" }),
      ],
      approvals: [
        fakeApproval("y-second", { created_at: "2026-11-21T10:00:00.000002Z" }),
        fakeApproval("x-third", { created_at: "2026-11-21T11:00:00.000003+01:00" }),
        fakeApproval("z-first", { created_at: "2026-11-21T10:00:00.000001Z" }),
        fakeApproval("a-done", { status: "approved" }),
      ],
    }),
  )
  const content = contentOf(await until(await startDesk(works), isComplete))
  expect(content.attention.map(({ item, work }) => [work.id, item.id])).toEqual([
    ["old", "q1"],
    ["old", "q2"],
  ])
  expect(content.approvals.map(({ item }) => item.id)).toEqual(["a0", "a1", "a2", "z-first", "y-second", "x-third"])
})

test("every number keeps its text, and unknown members stay", async () => {
  const work = `{"id":"w","title":"T","objective":"O","status":"working","colleague_id":"c","human_owner_id":"h",
    "visibility_scope":"private","priority":"normal","version":9223372036854775807,"created_by":"s","created_at":"2026-01-01T00:00:00Z",
    "updated_at":"2026-01-01T00:00:00Z","x":{"b":[1.0,-0,1e400,0.1000],"__proto__":{"a":12345678901234567890}},"y":"\\ud800 \\u202e"}`
  const approval = JSON.stringify(fakeApproval("a")).replace('"version":1', '"version":9007199254740993,"weight":2.50')
  const desk = await startDesk([])
  desk.upstream.control.behave = (target) => {
    if (target.includes("status=working")) return { status: 200, body: `{"data":[${work}]}` }
    return target.endsWith("/approvals") ? { status: 200, body: `{"data":[${approval}]}` } : undefined
  }
  const { text } = await until(desk, isComplete)
  for (const kept of [
    '"version":9223372036854775807',
    '"b":[1.0,-0,1e400,0.1000]',
    '"__proto__":{"a":12345678901234567890}',
    '"y":"\\ud800 \u202e"',
    '"version":9007199254740993',
    '"weight":2.50',
  ]) {
    expect(text).toContain(kept)
  }
})

test(
  "a request that waits is answered at the first change, or with 304 after its time",
  { timeout: 20_000 },
  async () => {
    const desk = await startDesk(waitingWorks(2))
    const { etag } = await until(desk, isComplete)
    const quiet = await desk.ask("?wait=1", etag)
    expect([quiet.status, quiet.text, quiet.etag]).toEqual([304, "", etag])
    expect(quiet.ms).toBeGreaterThan(900)
    const answer = desk.ask("?wait=25", etag)
    desk.works[0]?.approvals.push(fakeApproval("new", { created_at: "2027-01-01T00:00:00Z" }))
    desk.watcher.hint("w0")
    const changed = await answer
    expect(approvalsOf(changed)).toEqual(["a0", "a1", "new"])
  },
)

test.each([
  ["", 304],
  ["?wait=0", 304],
  ["?wait=00", 400],
  ["?wait=26", 400],
  ["?wait=-1", 400],
  ["?wait=1.5", 400],
  ["?wait=", 400],
  ["?wait=%2B1", 400],
  ["?wait=1&wait=1", 400],
  ["?wait=1e1", 400],
  ["?other=1", 304],
])("with the current ETag %s is %i", async (query, status) => {
  const desk = await startDesk([])
  const { etag } = await until(desk, isComplete)
  const reply = await desk.ask(query, etag)
  expect(reply.status).toBe(status)
  if (status === 400) expect(JSON.parse(reply.text)).toMatchObject({ code: "PROXY_QUERY_INVALID", status: 400 })
})

// A limit of a test that is shorter than the waits shows that nothing waits.
test(
  "another ETag, or none, is answered at once; ETags are compared weakly, also in a list",
  { timeout: 20_000 },
  async () => {
    const desk = await startDesk(waitingWorks(1))
    const { etag } = await until(desk, isComplete)
    const strong = etag.slice(2)
    for (const current of [etag, strong, `"x", ${etag}`, "*"]) expect((await desk.ask("", current)).status).toBe(304)
    for (const other of [undefined, '"x"', "W/x"]) {
      const reply = await desk.ask("?wait=25", other)
      expect([reply.status, reply.etag]).toEqual([200, etag])
    }
  },
)

test("two desks have the same ETag for the same content, and a later check alone does not change it", async () => {
  const works = waitingWorks(3)
  const upstream = await startRecordingUpstream(works)
  const hosts = [
    await startWatcherHost({ readUpstream: createFetchReader(upstream.url) }),
    await startWatcherHost({ readUpstream: createFetchReader(upstream.url) }),
  ]
  const complete = async (url: string) => {
    let reply = await askWaiting(url)
    while (!contentOf(reply).complete) reply = await askWaiting(url)
    return reply
  }
  const [one, other] = [await complete(hosts[0]?.url ?? ""), await complete(hosts[1]?.url ?? "")]
  expect(one.etag).toBe(other.etag)
  const before = contentOf(one).oldest_check_at
  for (const { id } of works) hosts[0]?.watcher.hint(id)
  const isCheckedAgain = async () => {
    const later = await askWaiting(hosts[0]?.url ?? "")
    expect(later.etag).toBe(one.etag)
    return contentOf(later).oldest_check_at !== before
  }
  await expect.poll(isCheckedAgain).toBe(true)
})

test("two desks have the same ETag for the same failure, although the service gives each answer another request_id", async () => {
  const upstream = await startRecordingUpstream(waitingWorks(1))
  const readUpstream = createFetchReader(upstream.url)
  const hosts = [await startWatcherHost({ readUpstream }), await startWatcherHost({ readUpstream })]
  let answers = 0
  upstream.control.behave = () => {
    const { status, body } = problem(503, "BROKEN")
    const id = `request-${answers++}`
    return { status, body: { ...Object(body), request_id: id, instance: `urn:${id}` } }
  }
  const failing = async ({ url }: { readonly url: string }) => {
    let reply = await askWaiting(url)
    while (contentOf(reply).problem === undefined) reply = await askWaiting(url, "?wait=25", reply.etag)
    return reply
  }
  const [one, other] = await Promise.all(hosts.map(failing))
  expect(other?.text).not.toBe(one?.text)
  // Else an app whose requests reach the desks in turns would get the whole list from each at once, as long as the failure lasts.
  expect(other?.etag).toBe(one?.etag)
})

test("a change of checked alone is answered at most four times a second", async () => {
  const desk = await startDesk(range(400).map((index) => fakeWork(`w${index}`, index)))
  const began = performance.now()
  let reply = await desk.ask()
  let answers = 0
  while (!contentOf(reply).complete) {
    reply = await desk.ask("?wait=25", reply.etag)
    answers++
  }
  expect(contentOf(reply)).toMatchObject({ checked: 400, total: 400 })
  expect(answers).toBeLessThanOrEqual((performance.now() - began) / 250 + 2)
})

test("a decided item is gone with the next answer, and an earlier read does not bring it back", async () => {
  const desk = await startDesk(waitingWorks(2))
  const before = await until(desk, isComplete)
  const held = Promise.withResolvers<void>()
  let isAsked = false
  const asWas = JSON.stringify({ data: desk.works[0]?.approvals })
  desk.upstream.control.behave = (target) => {
    if (!target.endsWith("/w0/approvals") || isAsked) return undefined
    isAsked = true
    held.resolve()
    return { status: 200, body: asWas }
  }
  desk.watcher.hint("w0")
  await held.promise
  const heard = desk.upstream.heard.length
  desk.watcher.decided({ kind: "approval", workId: "w0", itemId: "a0" })
  if (desk.works[0] !== undefined) desk.works[0].approvals = []
  const next = await desk.ask("?wait=25", before.etag)
  expect(approvalsOf(next)).toEqual(["a1"])
  expect(desk.upstream.heard).toHaveLength(heard)
  let last = next
  for (const _ of range(3)) {
    const reply = await desk.ask("?wait=1", last.etag)
    if (reply.status === 200) last = reply
    expect(approvalsOf(last)).toEqual(["a1"])
  }
})

test("a hundred people each get their whole answer, and the upstream gets no request", async () => {
  const desk = await startDesk(waitingWorks(500))
  await until(desk, isComplete)
  desk.watcher.stop()
  const heard = desk.upstream.heard.length
  for (const reply of await Promise.all(range(100).map(() => desk.ask()))) expect(approvalsOf(reply)).toHaveLength(500)
  expect(desk.upstream.heard).toHaveLength(heard)
})

test("nothing is read before the first request, and stopping answers all waiting requests with what waits", async () => {
  const desk = await startDesk(waitingWorks(1))
  desk.watcher.hint("w0")
  desk.watcher.hintList()
  expect(desk.upstream.heard).toEqual([])
  const { etag } = await until(desk, isComplete)
  const answer = desk.ask("?wait=25", etag)
  await expect.poll(async () => (await desk.ask()).status).toBe(200)
  desk.watcher.stop()
  // Not 304: the app would believe that this desk holds no requests, and would ask it every ten seconds only.
  for (const reply of [await answer, await desk.ask("?wait=25", etag)]) {
    expect(reply).toMatchObject({ status: 200, etag })
    expect(approvalsOf(reply)).toEqual(["a0"])
  }
})

test("a client that leaves is forgotten", async () => {
  const desk = await startDesk([])
  const { etag } = await until(desk, isComplete)
  const leave = desk.watcher.waiting({ query: "wait=25", ifNoneMatch: etag, audience: () => "everything" }, () =>
    expect.unreachable(),
  )
  leave()
  desk.works.push(fakeWork("w", 1, { approvals: [fakeApproval("a")] }))
  desk.watcher.hintList()
  await until(desk, ({ approvals }) => approvals.length === 1)
})
