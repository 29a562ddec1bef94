/** What is new to a person (`GET` and `POST /desk/seen`), at desks with sign-in and in local mode. */
import { describe, expect, onTestFinished, test } from "vitest"
import type { NewWork } from "../contract/desk-work.ts"
import { ask, delegate, startVisibilityDesk, startWorkUpstream, type VisibilityDesk } from "./testing/concealed-work.ts"
import { MUTATION, openStore, send, startTestProxy } from "./testing/desk.ts"
import { startUpstream } from "./testing/upstreams.ts"
import type { PersonHeaders } from "./testing/sign-in.ts"
import { PostgresServer } from "./store/testing/postgres.ts"
import { databaseForTest, describeStores } from "./store/testing/stores.ts"
import { answerFrom, fakeApproval, fakeClarification, fakeWork, type FakeWork } from "./watcher/testing/simulation.ts"

/** Has the desk read the list of open Work again first, so that it soon knows each change. */
async function newsOf(desk: VisibilityDesk, person: PersonHeaders): Promise<NewWork> {
  await ask(desk, person, "/desk/work", { headers: { "Cache-Control": "no-cache" } })
  return JSON.parse((await ask(desk, person, "/desk/seen")).text)
}

/** What is new to a person, without its times. */
const listOf = async (desk: VisibilityDesk, person: PersonHeaders) =>
  (await newsOf(desk, person)).new.map(({ at: _at, ...entry }) => entry)

const report = async (desk: VisibilityDesk, person: PersonHeaders, body: object) =>
  (await ask(desk, person, "/desk/seen", { method: "POST", body })).status

/** The service changes a Work. */
function change(desk: VisibilityDesk, id: string, more: Partial<FakeWork>): void {
  const work = desk.upstream.works.find((each) => each.id === id)
  if (work === undefined) throw new Error(`no ${id}`)
  const json = { ...work.json, ...more.json, updated_at: new Date().toISOString() }
  Object.assign(work, { version: work.version + 1, ...more, json })
}

const approve = (desk: VisibilityDesk, person: PersonHeaders, work: string, item: string) =>
  ask(desk, person, `/api/v1/work/${work}/approvals/${item}/resolve`, {
    method: "POST",
    body: { decision: "approve" },
  })

const answer = (desk: VisibilityDesk, person: PersonHeaders, work: string, item: string) =>
  ask(desk, person, `/api/v1/work/${work}/attention/${item}/resolve`, { method: "POST", body: { response: "x" } })

const letter = (id: string) => fakeApproval(id, { destination: "desk@halden.example", created_at: now() })
const question = (id: string) => fakeClarification(id, { created_at: now() })
const now = () => new Date().toISOString()

describeStores("what is new to a person", ({ newStore }) => {
  const startDesk = async () =>
    startVisibilityDesk(await startWorkUpstream(), undefined, await databaseForTest(await newStore()))

  test("is each change of their Work since they saw it, who made it, and nobody else's Work", async () => {
    const desk = await startDesk()
    const { Ada, Ben, Cleo } = desk.people
    const newTo = (person: PersonHeaders) => expect.poll(() => listOf(desk, person), { timeout: 10_000 })
    for (const person of [Ada, Ben, Cleo]) expect((await newsOf(desk, person)).new).toEqual([])
    await delegate(desk, "w", "organization")
    await expect.poll(async () => (await ask(desk, Ben, "/desk/work")).text).toContain('"title":"w"')
    expect(await listOf(desk, Ben)).toEqual([])

    change(desk, "w", {})
    await newTo(Ben).toEqual([{ work: "w", title: "w", what: ["changed"] }])
    expect(await report(desk, Ben, { work: "w", version: "2" })).toBe(204)
    expect(await listOf(desk, Ben)).toEqual([])
    // Who has seen an older version still has seen the newer one.
    expect(await report(desk, Ben, { work: "w", version: "1" })).toBe(204)
    expect(await listOf(desk, Ben)).toEqual([])

    change(desk, "w", { approvals: [letter("a1")], status: "needs_you" })
    await newTo(Ben).toEqual([{ work: "w", title: "w", what: ["approval"] }])
    expect((await approve(desk, Ada, "w", "a1")).status).toBe(200)
    change(desk, "w", { approvals: [], clarificationId: "q1", clarifications: [question("q1")] })
    const { id } = JSON.parse((await ask(desk, Ada, "/desk/session")).text).person
    const by = { id, name: "Ada" }
    await newTo(Ben).toEqual([{ work: "w", title: "w", what: ["approved", "asked"], by }])
    const { what } = (await newsOf(desk, Ada)).new[0] ?? {}
    expect(what).not.toContain("approved")

    change(desk, "w", { status: "done", clarifications: [] })
    await newTo(Ben).toEqual([{ work: "w", title: "w", what: ["done", "results", "approved"], by, results: 1 }])
    await newTo(Ada).toEqual([{ work: "w", title: "w", what: ["done", "results"], results: 1 }])
    const artifacts = desk.upstream.heard.filter(({ url }) => url === "/api/v1/work/w/artifacts")
    expect(artifacts).toHaveLength(1)
    expect((await newsOf(desk, Cleo)).new).toEqual([])
    const ofRecord = await ask(desk, Ben, "/desk/record?operation=createWork")
    expect(JSON.parse(ofRecord.text).data).toHaveLength(1)
  }, 60_000)

  test("is not what happened before their first use", async () => {
    const desk = await startDesk()
    const { Ada, Ben } = desk.people
    await delegate(desk, "w", "organization", { approvals: [letter("a1")], status: "needs_you", version: 3 })
    await expect.poll(async () => (await ask(desk, Ada, "/desk/waiting")).text).toContain('"id":"a1"')
    expect((await approve(desk, Ada, "w", "a1")).status).toBe(200)
    change(desk, "w", { approvals: [], status: "paused" })
    await expect.poll(async () => (await ask(desk, Ben, "/desk/work")).text).toContain('"status":"paused"')
    expect(await newsOf(desk, Ben)).toMatchObject({ new: [], total: 0 })
    change(desk, "w", { status: "working" })
    change(desk, "w", { status: "paused" })
    await expect.poll(() => listOf(desk, Ben)).toEqual([{ work: "w", title: "w", what: ["paused"] }])
  }, 30_000)

  test("is not in what they no longer see, nor behind any answer about it", async () => {
    const desk = await startDesk()
    const { Ben, Cleo } = desk.people
    const Eve = await desk.signIn("Eve", ["staff", "ops"])
    for (const person of [Ben, Eve]) await newsOf(desk, person)
    const items = { status: "needs_you", clarificationId: "q1", clarifications: [question("q1")] }
    await delegate(desk, "w", "team", items)
    await expect.poll(async () => (await ask(desk, Eve, "/desk/waiting")).text).toContain('"id":"q1"')
    expect((await answer(desk, Eve, "w", "q1")).status).toBe(200)
    change(desk, "w", { ...items, clarificationId: "q2", clarifications: [question("q2")] })
    await expect.poll(() => listOf(desk, Eve)).toMatchObject([{ work: "w", what: ["asked"] }])
    const answered = [{ work: "w", what: ["answered", "asked"], by: { name: "Eve" } }]
    await expect.poll(() => listOf(desk, Ben)).toMatchObject(answered)

    change(desk, "w", { json: { visibility_scope: "private" } })
    const nothing = { new: [], total: 0, complete: true }
    await expect.poll(() => newsOf(desk, Eve), { timeout: 10_000 }).toMatchObject(nothing)
    expect(await newsOf(desk, Ben)).toMatchObject({ new: answered, total: 1 })
    // The answers about concealed and unknown Work are the same, whatever the version.
    for (const person of [Eve, Cleo]) {
      const told = async (work: string, version: string) => {
        const { status, text } = await ask(desk, person, "/desk/seen", { method: "POST", body: { work, version } })
        return [status, text.replaceAll(/"(?:instance|request_id)":"[^"]*"/g, "")]
      }
      expect((await told("w", "1"))[0]).toBe(404)
      expect(await told("w", "1")).toEqual(await told("absent", "1"))
      expect(await told("w", "999")).toEqual(await told("absent", "999"))
    }
  }, 60_000)

  test("is seen by an answer's ETag, and what came after the answer stays new", async () => {
    const desk = await startDesk()
    const { Ben } = desk.people
    await newsOf(desk, Ben)
    for (const id of ["one", "two"]) {
      await delegate(desk, id, "organization")
      change(desk, id, { status: "paused" })
    }
    await expect.poll(async () => (await newsOf(desk, Ben)).total).toBe(2)
    const { headers, text } = await ask(desk, Ben, "/desk/seen")
    const { etag } = JSON.parse(text) as NewWork
    expect(headers.etag).toBe(etag)
    expect((await ask(desk, Ben, "/desk/seen", { headers: { "If-None-Match": etag } })).status).toBe(304)
    change(desk, "two", { status: "done" })
    const later = [{ work: "two", what: ["done", "results"] }, { work: "one" }]
    await expect.poll(() => listOf(desk, Ben), { timeout: 10_000 }).toMatchObject(later)
    expect(await report(desk, Ben, { all: '"another"' })).toBe(412)
    expect(await report(desk, Ben, { all: etag })).toBe(204)
    expect(await listOf(desk, Ben)).toMatchObject([{ work: "two", what: ["done", "results"] }])
  }, 60_000)

  test("is changed by reports of a version that the Work has, and by no other body", async () => {
    const desk = await startDesk()
    const { Ben } = desk.people
    await newsOf(desk, Ben)
    await delegate(desk, "w", "organization", { version: 7 })
    expect(await report(desk, Ben, { work: "w", version: "8" })).toBe(400)
    expect(await report(desk, Ben, { work: "w", version: "7" })).toBe(204)
    expect(await report(desk, Ben, { work: "absent", version: "1" })).toBe(404)
    for (const body of [{}, { work: "w" }, { work: "w", version: 7 }, { work: "w", version: "-1" }, { all: 1 }])
      expect(await report(desk, Ben, body), JSON.stringify(body)).toBe(400)
  }, 30_000)
})

describe("what is new to a person, at two desks", () => {
  test("is seen at one when it was seen at the other", async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    const databaseUrl = await server.newDatabase()
    const work = fakeWork("w", Date.now())
    const upstream = await startUpstream(({ url }, response) => {
      const { status, body } = answerFrom([work], url)
      response.writeHead(status, { "Content-Type": "application/json" })
      response.end(JSON.stringify(body))
    })
    const [one, other] = [
      await startTestProxy(upstream.url, await openStore(databaseUrl)),
      await startTestProxy(upstream.url, await openStore(databaseUrl)),
    ]
    // In local mode every Work concerns the one person.
    const read = async ({ url }: { readonly url: string }): Promise<NewWork> =>
      JSON.parse((await send(url, "/desk/seen")).text)
    expect((await read(one)).new).toEqual([])
    Object.assign(work, { version: 2, json: { updated_at: now() } })
    for (const desk of [one, other])
      await expect.poll(() => read(desk)).toMatchObject({ new: [{ work: "w", what: ["changed"] }], complete: true })
    // Both desks list the same, so either takes the ETag of the other.
    const { etag } = await read(other)
    const seen = { method: "POST", headers: MUTATION, body: JSON.stringify({ all: etag }) }
    expect((await send(one.url, "/desk/seen", seen)).status).toBe(204)
    expect((await read(other)).new).toEqual([])
    Object.assign(work, { version: 3, json: { updated_at: now() } })
    await expect.poll(async () => (await read(other)).total).toBe(1)
    const third = { ...seen, body: JSON.stringify({ work: "w", version: "3" }) }
    expect((await send(other.url, "/desk/seen", third)).status).toBe(204)
    await expect.poll(async () => (await read(one)).total).toBe(0)
  }, 60_000)
})
