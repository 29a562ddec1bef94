import { expect, test } from "vitest"
import { answerFrom } from "./watcher/testing/simulation.ts"
import {
  ask,
  concealedApproval,
  delegate,
  startVisibilityDesk,
  startWorkUpstream,
  type VisibilityDesk,
} from "./testing/concealed-work.ts"
import { contentOf, letter } from "./testing/concealed-walk.ts"
import { MUTATION, problemOf, send, startTestProxy } from "./testing/desk.ts"
import type { PersonHeaders } from "./testing/sign-in.ts"

const startDesk = async () => startVisibilityDesk(await startWorkUpstream())

const objective = { objective: "x", colleague_id: "analyst", visibility_scope: "organization" }

const create = (
  desk: VisibilityDesk,
  person: PersonHeaders,
  title: string,
  headers: Record<string, string>,
  more = {},
) => ask(desk, person, "/api/v1/work", { method: "POST", body: { ...objective, title, ...more }, headers })

const related = async (desk: VisibilityDesk, person: PersonHeaders, id: string) =>
  contentOf(await ask(desk, person, `/desk/work/${encodeURIComponent(id)}/related`))

const addLetter = ({ upstream }: VisibilityDesk, workId: string) =>
  upstream.works.find(({ id }) => id === workId)?.approvals.push(letter("waits", { work_id: workId }))

const posts = ({ upstream }: VisibilityDesk) => upstream.heard.filter(({ method }) => method === "POST")

test("a decline that asks for a change reaches the service without the header, and the record has wants_change", async () => {
  const desk = await startDesk()
  const { Ada } = desk.people
  await delegate(desk, "letter", "organization", { approvals: [letter("waits", { work_id: "letter" })] })
  const decide = (decision: string, header: string | string[]) =>
    send(desk.url, "/api/v1/work/letter/approvals/waits/resolve", {
      method: "POST",
      headers: { ...Ada, ...MUTATION, "Idempotency-Key": "decides", "If-Match": '"1"', "Desk-Wants-Change": header },
      body: JSON.stringify({ decision, comment: "Shorter." }),
    })
  const sentBefore = posts(desk).length
  expect(problemOf(await decide("approve", "true"))).toMatchObject({ status: 400, code: "PROXY_BODY_INVALID" })
  expect(problemOf(await decide("decline", ["true", "true"]))).toMatchObject({ code: "PROXY_HEADER_REPEATED" })
  expect(posts(desk)).toHaveLength(sentBefore)
  expect((await decide("decline", "true")).status).toBe(200)
  const [heard] = posts(desk).slice(sentBefore)
  expect(heard?.body).toBe('{"decision":"decline","comment":"Shorter."}')
  expect(Object.keys(heard?.headers ?? {}).filter((name) => name.startsWith("desk-"))).toEqual([])
  const { data } = contentOf(await ask(desk, Ada, "/desk/record?work=letter&operation=resolveWorkApproval"))
  expect(data).toMatchObject([{ decision: "decline", wants_change: true, outcome: "recorded", item_id: "waits" }])
})

test("Work that is created instead of another one is linked to it, both ways, oldest first", async () => {
  const desk = await startDesk()
  const { Ben } = desk.people
  await delegate(desk, "declined", "organization")
  const sentBefore = posts(desk).length
  for (const title of ["second", "first"]) {
    expect((await create(desk, Ben, title, { "Desk-Instead-Of": "declined" })).status).toBe(201)
  }
  const heard = posts(desk).slice(sentBefore)
  expect(heard.flatMap(({ headers }) => Object.keys(headers).filter((name) => name.startsWith("desk-")))).toEqual([])
  expect(await related(desk, Ben, "declined")).toEqual({ replaced_by: ["second", "first"] })
  expect(await related(desk, Ben, "second")).toEqual({ instead_of: "declined" })
  // Whoever sees the Works sees the links, at another desk of the same store and after a restart, too.
  const { Cleo } = (await startVisibilityDesk(desk.upstream, undefined, desk.database)).people
  expect(await related(desk, Cleo, "second")).toEqual({ instead_of: "declined" })
})

test("the link is stored once: a replay neither changes nor doubles it, also where the first answer was lost", async () => {
  const desk = await startDesk()
  const { Ben } = desk.people
  await delegate(desk, "declined", "organization")
  await delegate(desk, "another", "organization")
  const answers = [undefined, { status: 503, body: {} }]
  desk.upstream.control.behave = (target) => (target === "/api/v1/work" ? answers.pop() : undefined)
  const sent = (insteadOf: string) =>
    create(desk, Ben, "new", { "Idempotency-Key": "one key", "Desk-Instead-Of": insteadOf })
  expect((await sent("declined")).status).toBe(502)
  expect(await related(desk, Ben, "declined")).toEqual({})
  expect((await sent("declined")).status).toBe(201)
  expect((await sent("another")).status).toBe(201)
  expect(await related(desk, Ben, "declined")).toEqual({ replaced_by: ["new"] })
  expect(await related(desk, Ben, "another")).toEqual({})
})

test("nothing is created instead of Work that the person does not see, and links to concealed Work are absent", async () => {
  const desk = await startDesk()
  const { Ben, Cleo, Dora } = desk.people
  await delegate(desk, "private", "private", { approvals: [concealedApproval("x", { work_id: "private" })] })
  await delegate(desk, "open", "organization")
  const Gil = await desk.signIn("Gil", ["ops"])
  const sentBefore = posts(desk).length
  for (const id of ["private", "absent", "", "..", "a/b", "private, open"]) {
    const refused = await create(desk, Gil, "new", { "Desk-Instead-Of": id })
    expect([refused.status, problemOf(refused).code], id).toEqual([404, "PROXY_NOT_FOUND"])
  }
  expect(posts(desk)).toHaveLength(sentBefore)
  expect(contentOf(await ask(desk, Dora, "/desk/record?operation=createWork"))["data"]).toHaveLength(2)

  await create(desk, Ben, "shown", { "Desk-Instead-Of": "private" })
  await create(desk, Ben, "hidden", { "Desk-Instead-Of": "open" }, { visibility_scope: "private" })
  expect(await related(desk, Cleo, "shown")).toEqual({})
  expect(await related(desk, Cleo, "open")).toEqual({})
  for (const person of [Ben, Dora]) {
    expect(await related(desk, person, "shown")).toEqual({ instead_of: "private" })
    expect(await related(desk, person, "open")).toEqual({ replaced_by: ["hidden"] })
  }
  for (const [path, id] of ["related", "inputs"].flatMap((path) => ["private", "absent"].map((id) => [path, id]))) {
    const refused = await ask(desk, Cleo, `/desk/work/${id}/${path}`)
    expect([refused.status, problemOf(refused).code], `${path} ${id}`).toEqual([404, "PROXY_NOT_FOUND"])
  }
})

test("the context of a letter in a Work that replaces another one names the last declined letter of that Work", async () => {
  const desk = await startDesk()
  const { Ben, Cleo, Dora } = desk.people
  const declined = (id: string, work_id: string, day: number) =>
    letter(id, { work_id, status: "declined", resolved_at: `2026-01-0${day}T00:00:00Z` })
  for (const [work, scope] of [
    ["declined", "organization"],
    ["private", "private"],
  ] as const) {
    const old = [declined(`${work} last`, work, 2), declined(`${work} first`, work, 1)]
    await delegate(desk, work, scope, { approvals: old })
    await create(desk, Ben, `for ${work}`, { "Desk-Instead-Of": work })
    addLetter(desk, `for ${work}`)
  }
  const context = async (person: PersonHeaders, work: string) =>
    contentOf(await ask(desk, person, `/desk/context?work=${encodeURIComponent(work)}&approval=waits`))
  const named = (work: string) => ({ work_id: work, approval_id: `${work} last` })
  await expect.poll(() => context(Cleo, "for declined")).toMatchObject({ declined_before: named("declined") })
  await expect.poll(() => context(Dora, "for private")).toMatchObject({ declined_before: named("private") })
  expect(await context(Cleo, "for private")).not.toHaveProperty("declined_before")
  await create(desk, Ben, "alone", {})
  addLetter(desk, "alone")
  expect(await context(Ben, "alone")).not.toHaveProperty("declined_before")
})

test("the inputs of Work that was created here are told by their names", async () => {
  const desk = await startDesk()
  const { Ben, Cleo } = desk.people
  const uploads = ["orders.csv", "notes.md"]
  for (const name of uploads) await ask(desk, Ben, "/api/v1/uploads", { method: "POST", body: { name, content: "x" } })
  await create(desk, Ben, "with inputs", {}, { input_upload_ids: uploads })
  await create(desk, Ben, "without", {})
  const inputs = async (id: string) => contentOf(await ask(desk, Cleo, `/desk/work/${encodeURIComponent(id)}/inputs`))
  expect(await inputs("with inputs")).toEqual({ inputs: uploads.map((name) => ({ upload: name, name })) })
  expect(await inputs("without")).toEqual({ inputs: [] })
  await desk.database.write("DELETE FROM work_origin")
  expect(await inputs("without")).toEqual({})
})

test("in local mode the same holds, and Work that is not there is 404", async () => {
  const upstream = await startWorkUpstream()
  const { url } = await startTestProxy(upstream.url)
  const post = (title: string, headers: Record<string, string>) =>
    send(url, "/api/v1/work", {
      method: "POST",
      headers: { ...MUTATION, "Idempotency-Key": title, ...headers },
      body: JSON.stringify({ ...objective, title }),
    })
  const get = (path: string) => send(url, path)
  expect((await post("declined", {})).status).toBe(201)
  expect((await post("new", { "Desk-Instead-Of": "declined" })).status).toBe(201)
  expect(contentOf(await get("/desk/work/new/related"))).toEqual({ instead_of: "declined" })
  expect(contentOf(await get("/desk/work/declined/related"))).toEqual({ replaced_by: ["new"] })
  expect(problemOf(await post("other", { "Desk-Instead-Of": "absent" })).code).toBe("PROXY_NOT_FOUND")
  expect(answerFrom(upstream.works, "/api/v1/work/other").status).toBe(404)
  for (const path of ["related", "inputs"]) {
    expect(problemOf(await get(`/desk/work/absent/${path}`))).toMatchObject({ status: 404, code: "PROXY_NOT_FOUND" })
  }
})
