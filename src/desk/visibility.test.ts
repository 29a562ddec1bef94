import { writeFile } from "node:fs/promises"
import { expect, test } from "vitest"
import {
  ACCESS,
  ask,
  concealedApproval,
  concealedClarification,
  delegate,
  GROUPS,
  startVisibilityDesk,
  startWorkUpstream,
  toldBy,
  type VisibilityDesk,
} from "./testing/concealed-work.ts"
import {
  APPROVAL,
  BROKEN,
  contentOf,
  delegateConcealed,
  delegateShown,
  gathered,
  letter,
  OPEN,
  SHOWN,
  UPLOAD,
  walkConcealed,
} from "./testing/concealed-walk.ts"
import { problemOf } from "./testing/desk.ts"
import { Reader } from "./testing/events.ts"

test(
  "no address, method or parameter tells of concealed Work, and its creator and an overseer see it",
  { timeout: 120_000 },
  async () => {
    const desk = await startVisibilityDesk(await startWorkUpstream())
    await delegateShown(desk)
    await delegateConcealed(desk)
    await gathered(desk, 4)
    await walkConcealed(desk)
  },
)

test("the answers, counts and ETags are those of a desk without the concealed Work", { timeout: 30_000 }, async () => {
  const [desk, plain] = [
    await startVisibilityDesk(await startWorkUpstream()),
    await startVisibilityDesk(await startWorkUpstream()),
  ]
  for (const each of [desk, plain]) await delegateShown(each)
  await delegateConcealed(desk)
  await gathered(desk, 4)
  await gathered(plain, 2)
  const targets = [
    "/desk/waiting",
    ...["", "?sort=priority", "?group=colleague", "?group=due", "?limit=1"].map((query) => `/desk/work${query}`),
    "/desk/overview",
    `/desk/context?work=${SHOWN}&approval=waits`,
    "/api/v1/work?status=needs_you",
    "/api/v1/work?status=done",
  ]
  // The moments and the ids of people differ between two desks.
  const without = (text: string) =>
    text
      .replaceAll(/"(?:at|since|oldest_check_at|created_at|updated_at)":(?:null|"[^"]*")/g, "")
      .replaceAll(/"id":"[\w-]{43}"/g, "")
  for (const name of ["Ada", "Cleo"] as const) {
    for (const target of targets) {
      const read = async (of: VisibilityDesk) => {
        const { status, headers, text } = await ask(of, of.people[name], target)
        return { status, etag: target === "/desk/waiting" ? headers.etag : undefined, text: without(text) }
      }
      await expect.poll(() => read(desk), { message: target }).toEqual(await read(plain))
    }
  }
  // Ben sees more than the plain desk has.
  expect(contentOf(await ask(desk, desk.people.Ben, "/desk/waiting"))).toMatchObject({
    total: 4,
    problem: { status: 503 },
  })
  expect(contentOf(await ask(desk, desk.people.Ben, targets.at(-3) ?? ""))).toMatchObject({
    destination: { approved: 2 },
  })
})

test("a page of listWork is filled with what the person sees, from at most five pages of the upstream", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const { works, heard } = desk.upstream
  for (const [index, scope] of [
    ...Array.from({ length: 12 }, () => "private"),
    "organization",
    "team",
    "galaxy",
  ].entries()) {
    await delegate(desk, `${scope}-${index}`, scope, { created: -index * 1_000 })
  }
  const list = async (person: "Ben" | "Cleo", query: string) => {
    const before = heard.length
    const reply = await ask(desk, desk.people[person], `/api/v1/work?status=working${query}`)
    const { data, next_cursor: next } = contentOf(reply) as { data: { id: string }[]; next_cursor?: string }
    const read = heard.slice(before).map(({ url }) => url)
    return { ids: data.map(({ id }) => id), next, read: read.filter((url) => url.startsWith("/api/v1/work?")) }
  }
  expect(works).toHaveLength(15)
  expect((await list("Ben", "&limit=2")).ids).toEqual(["private-0", "private-1"])
  const first = await list("Cleo", "&limit=2")
  expect([first.ids, first.next, first.read.length]).toEqual([[], "10", 5])
  const second = await list("Cleo", `&limit=2&cursor=${first.next}`)
  expect([second.ids, second.next]).toEqual([["organization-12"], undefined])
  // The second page of the upstream had one Work to show, so the third was asked for one more.
  expect(second.read.map((url) => new URL(url, "http://x").searchParams.get("limit"))).toEqual(["2", "2", "1"])
})

test("a page without its concealed Work has the other Works as the upstream wrote them", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const numbers = { version: JSON.rawJSON("9007199254740993"), share: JSON.rawJSON("1.0") }
  const shown = { title: "b", id: "shown", visibility_scope: "organization", ...numbers }
  const data = [{ id: "hidden", visibility_scope: "private" }, shown]
  desk.upstream.control.behave = (target) =>
    target.startsWith("/api/v1/work?") ? { status: 200, body: { data } } : undefined
  const { text } = await ask(desk, desk.people.Cleo, "/api/v1/work?status=working")
  expect(text).toBe(
    '{"data":[{"title":"b","id":"shown","visibility_scope":"organization","version":9007199254740993,"share":1.0}]}',
  )
})

test("a Work that the watcher knows costs no read; any other costs the same reads, whether or not it is there", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, OPEN, "private")
  await delegate(desk, SHOWN, "organization")
  const { heard } = desk.upstream
  const reads = async (person: "Ada" | "Cleo", target: string) => {
    const before = heard.length
    const reply = await ask(desk, desk.people[person], target)
    return [
      reply.status,
      heard
        .slice(before)
        .map(({ url }) => url.replaceAll(OPEN, "ID").replaceAll("absent", "ID"))
        .sort(),
    ]
  }
  const list = "/api/v1/work/ID/attention"
  const [work, approvals] = ["/api/v1/work/ID", "/api/v1/work/ID/approvals"]
  for (const id of [OPEN, "absent"]) {
    expect(await reads("Cleo", list.replace("ID", id))).toEqual([404, [work]])
    expect(await reads("Ada", list.replace("ID", id))).toEqual([404, [work, approvals]])
    expect(await reads("Cleo", work.replace("ID", id))).toEqual([404, [work]])
  }
  // What is seen is read once, also for the check.
  expect(await reads("Cleo", `/api/v1/work/${SHOWN}`)).toEqual([200, [`/api/v1/work/${SHOWN}`]])
  await expect
    .poll(async () => contentOf(await ask(desk, desk.people.Dora, "/desk/waiting")))
    .toMatchObject({ checked: 2 })
  const onlyAsked = async (person: "Ada" | "Cleo", target: string) => {
    const [status, urls] = await reads(person, target)
    return [
      status,
      Array.isArray(urls) ? urls.filter((url) => url.includes("ID") || url.includes(`/${SHOWN}/attention`)) : [],
    ]
  }
  await expect.poll(() => onlyAsked("Cleo", list.replace("ID", OPEN))).toEqual([404, []])
  await expect
    .poll(() => onlyAsked("Cleo", `/api/v1/work/${SHOWN}/attention`))
    .toEqual([200, [`/api/v1/work/${SHOWN}/attention`]])
})

test("while one Work cannot be read, an approver still gets 404 at once for what is not there", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, OPEN, "private")
  await delegate(desk, SHOWN, "organization")
  desk.upstream.control.behave = (target) => (target.includes(`/${OPEN}/`) ? { status: 503, body: BROKEN } : undefined)
  await expect
    .poll(async () => contentOf(await ask(desk, desk.people.Dora, "/desk/waiting")))
    .toMatchObject({ checked: 1, total: 2, problem: { status: 503 } })
  for (const work of ["absent", OPEN]) {
    const reply = await ask(desk, desk.people.Ada, `/desk/people?work=${work}&item=x`)
    expect(problemOf(reply)).toMatchObject({ status: 404 })
  }
})

test("while the upstream fails, a concealed and an unknown Work get the same answer", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, OPEN, "private")
  const both = async () => {
    const replies = [OPEN, "absent"].map((id) => ask(desk, desk.people.Ada, `/api/v1/work/${id}/artifacts`))
    return (await Promise.all(replies)).map(toldBy)
  }
  const problem = (status: number) => ({ status, body: { ...BROKEN, status } })
  for (const [status, part] of [
    [503, "/api/v1/work/"],
    [500, "/approvals"],
    [429, "/api/v1/work/"],
  ] as const) {
    desk.upstream.control.behave = (target) => (target.includes(part) ? problem(status) : undefined)
    const [concealed, unknown] = await both()
    expect(concealed).toEqual(unknown)
    expect(concealed).toMatchObject({ status })
  }
  // Also when the watcher knows the Work, and so needs no read to conceal it.
  desk.upstream.control.behave = () => undefined
  await expect
    .poll(async () => contentOf(await ask(desk, desk.people.Dora, "/desk/waiting")))
    .toMatchObject({ complete: true })
  await expect
    .poll(async () => {
      desk.upstream.control.behave = (target) => (target.includes("/work/") ? problem(503) : undefined)
      const [concealed, unknown] = await both()
      desk.upstream.control.behave = () => undefined
      return JSON.stringify(concealed) === JSON.stringify(unknown)
    })
    .toBe(true)
})

test("as soon as the list fails too, a Work that the watcher knows gets the failure, as an unknown one does", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, OPEN, "private")
  const waiting = async () => contentOf(await ask(desk, desk.people.Dora, "/desk/waiting"))
  await expect.poll(waiting).toMatchObject({ complete: true })
  desk.upstream.control.behave = () => ({ status: 503, body: BROKEN })
  await expect.poll(waiting, { timeout: 8_000 }).toMatchObject({ problem: { status: 503 } })
  for (const person of [desk.people.Ada, desk.people.Cleo]) {
    const read = async (id: string) => toldBy(await ask(desk, person, `/api/v1/work/${id}`))
    const unknown = await read("absent")
    expect(unknown).toMatchObject({ status: 503 })
    expect(await read(OPEN)).toEqual(unknown)
  }
})

test("while single Works cannot be read, concealed Work, open or done, gets the answer of an unknown one", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, OPEN, "private")
  await delegate(desk, "done", "private", { status: "done" })
  desk.upstream.control.behave = (target) =>
    target.startsWith("/api/v1/work/") ? { status: 503, body: { ...BROKEN, status: 503 } } : undefined
  await ask(desk, desk.people.Cleo, "/desk/waiting")
  for (const person of [desk.people.Cleo, desk.people.Ada]) {
    const read = (id: string) => ask(desk, person, `/api/v1/work/${id}`)
    // As soon as the watcher has listed all Work, it knows which is not there.
    await expect.poll(async () => (await read("absent")).status, { timeout: 5_000 }).toBe(404)
    const absent = toldBy(await read("absent"))
    for (const id of [OPEN, "done"]) expect(toldBy(await read(id)), id).toEqual(absent)
  }
  expect((await ask(desk, desk.people.Ben, "/api/v1/work/done")).status).toBe(503)
})

test("an upload belongs to who created it: another's is as one that is not there, also in createWork", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const Eve = await desk.signIn("Eve", ["staff", "ops", "audit"])
  const upload = { method: "POST", body: { name: UPLOAD, content: "x" } }
  expect((await ask(desk, desk.people.Ben, "/api/v1/uploads", upload)).status).toBe(201)
  const create = (ids: readonly string[]) => ({
    method: "POST",
    body: { title: "w", objective: "w", colleague_id: "analyst", input_upload_ids: ids },
  })
  const entries = async () => contentOf(await ask(desk, Eve, `/desk/record?person=${Eve["Desk-Person"]}`))["data"]
  for (const [target, of] of [
    ["/api/v1/uploads/ID", () => ({})],
    ["/api/v1/uploads/ID/processing/retry", () => ({ method: "POST" })],
    ["/api/v1/work", (id: string) => create([id])],
  ] as const) {
    const [others, unknown] = await Promise.all(
      [UPLOAD, "absent"].map((id) => ask(desk, Eve, target.replace("ID", id), of(id))),
    )
    expect(others?.status, target).toBe(404)
    expect(others && toldBy(others), target).toEqual(unknown && toldBy(unknown))
    expect((await ask(desk, desk.people.Ben, target.replace("ID", UPLOAD), of(UPLOAD))).status, target).toBeLessThan(
      300,
    )
  }
  // While the upstream fails, both get its failure.
  desk.upstream.control.behave = (target) =>
    target.includes("/uploads/") ? { status: 503, body: { ...BROKEN, status: 503 } } : undefined
  const failed = await Promise.all([UPLOAD, "absent"].map((id) => ask(desk, Eve, `/api/v1/uploads/${id}`)))
  expect(failed.map(({ status }) => status)).toEqual([503, 503])
  // More uploads than a Work may have are not looked up.
  const heard = desk.upstream.heard.length
  const many = await ask(desk, Eve, "/api/v1/work", create(["a", "b", "c", "d", "e"]))
  expect([many.status, problemOf(many).code]).toEqual([400, "PROXY_BODY_INVALID"])
  expect(desk.upstream.heard).toHaveLength(heard)
  // None of these leaves a trace in the record.
  expect(await entries()).toEqual([])
})

test("a change of concealed Work wakes nobody who does not see it", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  for (const [id, scope] of [
    [OPEN, "private"],
    [SHOWN, "organization"],
  ] as const) {
    const clarifications = [concealedClarification(`asks in ${id}`)]
    await delegate(desk, id, scope, { status: "needs_you", clarificationId: `asks in ${id}`, clarifications })
  }
  const { Ben, Cleo } = desk.people
  const asked = async (person: typeof Ben) => contentOf(await ask(desk, person, "/desk/waiting"))["attention"]
  await expect.poll(() => asked(Ben)).toHaveLength(2)
  await expect.poll(() => asked(Cleo)).toHaveLength(1)
  const held = async (person: typeof Ben) => {
    const { headers } = await ask(desk, person, "/desk/waiting")
    return ask(desk, person, "/desk/waiting?wait=25", { headers: { "If-None-Match": headers.etag ?? "" } })
  }
  const answer = (id: string) => {
    const target = `/api/v1/work/${id}/attention/${encodeURIComponent(`asks in ${id}`)}/resolve`
    return ask(desk, Ben, target, { method: "POST", body: { response: "x" } })
  }
  let isWoken = false
  const cleos = held(Cleo).finally(() => (isWoken = true))
  const bens = held(Ben)
  expect((await answer(OPEN)).status).toBe(200)
  expect(contentOf(await bens)["attention"]).toHaveLength(1)
  // Ben has learned of the change, so Cleo would have. What wakes her is the next change of what she sees.
  expect(isWoken).toBe(false)
  expect((await answer(SHOWN)).status).toBe(200)
  expect(contentOf(await cleos)["attention"]).toEqual([])
})

test("a held request is answered when another sign-in or another file conceals what its person sees", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const clarifications = [concealedClarification("asks")]
  await delegate(desk, SHOWN, "team", { status: "needs_you", clarificationId: "asks", clarifications })
  const [Fay, Gil] = await Promise.all(["Fay", "Gil"].map((name) => desk.signIn(name, ["staff", "ops"])))
  const held = async (person = desk.people.Cleo) => {
    const shown = () => ask(desk, person, "/desk/waiting")
    await expect.poll(async () => contentOf(await shown())["attention"]).toHaveLength(1)
    const { headers } = await shown()
    return { answer: ask(desk, person, "/desk/waiting?wait=25", { headers: { "If-None-Match": headers.etag ?? "" } }) }
  }
  const [fays, gils] = [await held(Fay), await held(Gil)]
  await desk.signIn("Fay", ["staff"])
  expect(contentOf(await fays.answer)["attention"]).toEqual([])
  const teams = ACCESS.visibility.teams.filter(({ name }) => name !== "Operations")
  await writeFile(desk.accessFile, JSON.stringify({ ...ACCESS, visibility: { teams } }))
  expect(contentOf(await gils.answer)["attention"]).toEqual([])
})

test.each([
  ["rests", false],
  ["reads", true],
])(
  "a stream ends within ten seconds when its reason ends, and no other does: the watcher %s",
  { timeout: 30_000 },
  async (_, isWatching) => {
    const desk = await startVisibilityDesk(await startWorkUpstream())
    for (const id of ["lost-group", "other-scope", "stays"]) await delegate(desk, id, "team")
    await delegate(desk, "decided", "private", { approvals: [letter("waits")] })
    if (isWatching) await ask(desk, desk.people.Ben, "/desk/waiting")
    const [Fay, Gil, Hal] = await Promise.all(["Fay", "Gil", "Hal"].map((name) => desk.signIn(name, ["staff", "ops"])))
    const open = async (person: object | undefined, id: string) => {
      const reader = new Reader(desk.url, `/api/v1/work/${id}/events`, { ...person })
      await expect.poll(() => reader.status).toBe(200)
      return reader
    }
    const readers = {
      lostGroup: await open(Fay, "lost-group"),
      otherScope: await open(Gil, "other-scope"),
      decided: await open(desk.people.Ada, "decided"),
      stays: await open(Hal, "stays"),
      creator: await open(desk.people.Ben, "other-scope"),
    }
    await desk.signIn("Fay", ["staff"])
    const work = (id: string) => desk.upstream.works.find((each) => each.id === id) ?? expect.unreachable()
    Object.assign(work("other-scope"), { json: { visibility_scope: "private" }, version: 2 })
    Object.assign(work("decided"), { approvals: [letter("waits", { status: "declined" })] })
    for (const name of ["lostGroup", "otherScope", "decided"] as const) {
      await expect.poll(() => readers[name].end, { message: name }).toBe("clean")
    }
    for (const [person, id] of [
      [Fay, "lost-group"],
      [Gil, "other-scope"],
      [desk.people.Ada, "decided"],
    ] as const) {
      expect((await ask(desk, person ?? desk.people.Cleo, `/api/v1/work/${id}/events`)).status, id).toBe(404)
    }
    expect([readers.stays.end, readers.creator.end]).toEqual([undefined, undefined])
    // A changed file counts, too.
    const teams = ACCESS.visibility.teams.filter(({ name }) => name !== "Operations")
    await writeFile(desk.accessFile, JSON.stringify({ ...ACCESS, visibility: { teams } }))
    await expect.poll(() => readers.stays.end).toBe("clean")
    expect(readers.creator.end).toBeUndefined()
    readers.creator.leave()
  },
)

test("the first reason that holds is told, and nothing about Work that is concealed", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, "team's", "team")
  await delegate(desk, "all's", "organization")
  await delegate(desk, "letter", "private", { approvals: [letter("waits")] })
  const { Ada, Ben, Cleo, Dora } = desk.people
  const Gil = await desk.signIn("Gil", ["staff", "ops"])
  const reason = async (person: typeof Ada, id: string) => {
    const reply = await ask(desk, person, `/desk/work/${encodeURIComponent(id)}/reason`)
    return reply.status === 200 ? contentOf(reply)["reason"] : problemOf(reply).code
  }
  expect(await Promise.all([reason(Ben, "team's"), reason(Gil, "team's"), reason(Dora, "team's")])).toEqual([
    "creator",
    "team",
    "overseer",
  ])
  expect(await Promise.all([reason(Cleo, "all's"), reason(Ada, "letter")])).toEqual(["organization", "approver"])
  expect(await Promise.all(["team's", "letter", "absent"].map((id) => reason(Cleo, id)))).toEqual(
    Array(3).fill("PROXY_NOT_FOUND"),
  )
  const other = await ask(desk, Ben, "/desk/work/letter/reason", { method: "POST" })
  expect([other.status, other.headers.allow]).toEqual([405, "GET"])
  expect(contentOf(await ask(desk, Gil, "/desk/session"))).toMatchObject({ teams: ["Operations"], has_overseers: true })
})

test("an id of a concealed approval says nothing under a Work that one sees, and a decider keeps seeing the Work", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegateShown(desk)
  await delegate(desk, OPEN, "private", { approvals: [concealedApproval(APPROVAL)] })
  await delegate(desk, "letter", "private", { approvals: [letter("waits", { work_id: "letter" })] })
  const decide = (id: string, approval: string) =>
    ask(desk, desk.people.Ada, `/api/v1/work/${id}/approvals/${approval}/resolve`, {
      method: "POST",
      body: { decision: "approve" },
    })
  const [others, unknown] = [await decide(SHOWN, APPROVAL), await decide(SHOWN, "absent")]
  expect(others.status).toBe(404)
  expect(toldBy(others)).toEqual(toldBy(unknown))
  // The body is not read: without a key and with a body of another type, the answer stays the same.
  const headers = { "Content-Type": "text/plain", "Idempotency-Key": "", "If-Match": "x" }
  const plain = { method: "POST", body: "x", headers }
  const unread = async (id: string) =>
    toldBy(await ask(desk, desk.people.Ada, `/api/v1/work/${id}/approvals/a/resolve`, plain))
  expect(await unread(OPEN)).toEqual(await unread("absent"))
  expect(await unread(OPEN)).toMatchObject({ status: 404 })
  expect((await decide("letter", "waits")).status).toBe(200)
  const work = desk.upstream.works.find(({ id }) => id === "letter")
  Object.assign(work ?? {}, { approvals: [letter("waits", { status: "approved" })], version: 2 })
  expect((await ask(desk, desk.people.Ada, "/api/v1/work/letter")).status).toBe(200)
  expect((await ask(desk, await desk.signIn("Abe", GROUPS.Ada), "/api/v1/work/letter")).status).toBe(404)
})

test("the log says how many open Works only overseers see, at the start and after a change of the file", async () => {
  const upstream = await startWorkUpstream()
  const desk = await startVisibilityDesk(upstream)
  await delegate(desk, "known", "private")
  await delegate(desk, "elsewhere", "private")
  // Somebody else than this desk created it.
  Object.assign(upstream.works[1] ?? {}, { id: "of nobody here" })
  const line = (text: string) =>
    desk.logged.filter((each) => each.includes(text)).map((each) => Number(JSON.parse(each)["works"]))
  await ask(desk, desk.people.Cleo, "/desk/waiting")
  await expect.poll(() => line("only overseers see")).toEqual([1])
  await writeFile(desk.accessFile, JSON.stringify({ ...ACCESS, visibility: { teams: [] } }))
  await expect.poll(() => line("nobody sees")).toEqual([1])
})

test("a Work that has another scope since the watcher read it is concealed by its own answer", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, SHOWN, "organization")
  const { Cleo } = desk.people
  await expect.poll(async () => contentOf(await ask(desk, Cleo, "/desk/waiting"))).toMatchObject({ complete: true })
  expect((await ask(desk, Cleo, `/api/v1/work/${SHOWN}`)).status).toBe(200)
  Object.assign(desk.upstream.works[0] ?? {}, { json: { visibility_scope: "private" }, version: 2 })
  expect((await ask(desk, Cleo, `/api/v1/work/${SHOWN}`)).status).toBe(404)
  expect((await ask(desk, desk.people.Ben, `/api/v1/work/${SHOWN}`)).status).toBe(200)
})
