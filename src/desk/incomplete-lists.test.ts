/** A list that one person asks for costs few reads, and says where it is not whole. */
import { request as httpRequest } from "node:http"
import { expect, test } from "vitest"
import { answerFrom, fakeApproval, fakeWork } from "./watcher/testing/simulation.ts"
import {
  ACCESS,
  ask,
  delegate,
  startVisibilityDesk,
  startWorkUpstream,
  type VisibilityDesk,
} from "./testing/concealed-work.ts"
import { BROKEN, contentOf } from "./testing/concealed-walk.ts"

const WORKS = 60
/** One list costs at most so many reads, and so many are under way at once. */
const READS_MAX = 20
const READS_AT_ONCE = 4

type Behave = VisibilityDesk["upstream"]["control"]["behave"]

/** The watcher cannot list Work, so the desk knows none. Everything else is answered by `answer`, or else as usual. */
function behave({ upstream }: VisibilityDesk, answer: Behave = () => undefined): void {
  upstream.control.behave = (target) =>
    answer(target) ??
    (target.startsWith("/api/v1/work?") ? { status: 500, body: { ...BROKEN, status: 500 } } : undefined)
}

/** A desk whose record has Work for everybody that the desk does not know. */
async function deskWithUnknownWork(works = WORKS): Promise<VisibilityDesk> {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  behave(desk)
  for (let index = 0; index < works; index++) await delegate(desk, `work-${index}`, "organization")
  return desk
}

/** The reads of single Works that the upstream hears of while `during` lasts. */
async function readsOf({ upstream }: VisibilityDesk, during: () => Promise<unknown>): Promise<readonly string[]> {
  const before = upstream.heard.length
  await during()
  const heard = upstream.heard.slice(before).flatMap(({ method, url }) => (method === "GET" ? [url] : []))
  return heard.filter((url) => url.startsWith("/api/v1/work/"))
}

const record = (desk: VisibilityDesk, person: "Ada" | "Cleo" | "Dora" = "Cleo") =>
  ask(desk, desk.people[person], "/desk/record?limit=100")
const exported = (desk: VisibilityDesk, person: "Ada" | "Cleo" = "Cleo") =>
  ask(desk, desk.people[person], "/desk/record", { headers: { Accept: "application/jsonl" } })

test("a page of the record costs at most 20 reads, leaves out what was not read, and says so", async () => {
  const desk = await deskWithUnknownWork()
  for (const person of ["Cleo", "Ada"] as const)
    expect(await readsOf(desk, () => record(desk, person))).toHaveLength(READS_MAX)
  const page = contentOf(await record(desk))
  expect(page).toMatchObject({ complete: false })
  expect(page["data"]).toHaveLength(READS_MAX)
  // An overseer sees every entry, so nothing has to be read.
  expect(await readsOf(desk, () => record(desk, "Dora"))).toEqual([])
  expect(contentOf(await record(desk, "Dora"))).toMatchObject({ complete: true })
})

test("the record shows Work that is newer than the list that the desk has read", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const overview = () => ask(desk, desk.people.Dora, "/desk/overview")
  await delegate(desk, "older", "organization")
  await expect.poll(async () => contentOf(await overview())).toMatchObject({ total: 1, done_complete: true })
  const [...listed] = desk.upstream.works
  desk.upstream.control.behave = (target) =>
    target.startsWith("/api/v1/work?") ? answerFrom(listed, target) : undefined
  await delegate(desk, "newer", "organization")
  await delegate(desk, "concealed", "private")
  expect(contentOf(await record(desk))).toMatchObject({
    complete: true,
    data: [{ work_id: "newer" }, { work_id: "older" }],
  })
})

test("a page of the record that the service fails for says that it is not whole", async () => {
  const desk = await deskWithUnknownWork(3)
  expect(contentOf(await record(desk))).toMatchObject({ complete: true, data: [{}, {}, {}] })
  behave(desk, (target) => (target === "/api/v1/work/work-1" ? { status: 503, body: BROKEN } : undefined))
  expect(contentOf(await record(desk))).toMatchObject({ complete: false, data: [{}, {}] })
})

test("an export that cannot be whole is refused before its first line", async () => {
  const desk = await deskWithUnknownWork(3)
  expect((await exported(desk)).text.trim().split("\n")).toHaveLength(3)
  behave(desk, (target) => (target === "/api/v1/work/work-1" ? { status: 503, body: BROKEN } : undefined))
  expect(contentOf(await exported(desk))).toMatchObject({ status: 503, code: "PROXY_RECORD_INCOMPLETE" })
})

test("an export of more Work than one request reads succeeds later, although no page is open", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  for (let index = 0; index < WORKS; index++) {
    await delegate(desk, `work-${index}`, index % 2 === 0 ? "organization" : "private")
  }
  const refused = await exported(desk)
  expect(contentOf(refused)).toMatchObject({ status: 503, code: "PROXY_RECORD_INCOMPLETE" })
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  for (const person of ["Cleo", "Ada"] as const) {
    await expect.poll(async () => (await exported(desk, person)).status, { timeout: 20_000, interval: 500 }).toBe(200)
    expect((await exported(desk, person)).text.trim().split("\n")).toHaveLength(WORKS / 2)
  }
}, 30_000)

test("an export breaks off where it turns out not to be whole", async () => {
  const { roles } = ACCESS
  const access = { ...ACCESS, roles: { ...roles, delegator: ["group:ops", "group:finance"] } }
  const desk = await startVisibilityDesk(await startWorkUpstream(), access)
  const { Ada, Ben } = desk.people
  behave(desk, (target) => (target === "/api/v1/work/first" ? { status: 503, body: BROKEN } : undefined))
  await ask(desk, Ada, "/api/v1/work", { method: "POST", body: { title: "first", objective: "x", colleague_id: "x" } })
  // 400 entries are read before the first line leaves.
  const upload = () => ask(desk, Ben, "/api/v1/uploads", { method: "POST", body: { name: "input", content: "x" } })
  for (let batch = 0; batch < 10; batch++) await Promise.all(Array.from({ length: 41 }, upload))
  const whole = ask(desk, Ben, "/desk/record", { headers: { Accept: "application/jsonl" } })
  await expect(whole).rejects.toThrow("aborted")
})

test("after a 429 the desk reads nothing for a list before the time that the service wants", async () => {
  const desk = await deskWithUnknownWork()
  const tooMany = { status: 429, body: { ...BROKEN, status: 429 }, headers: { "Retry-After": "60" } }
  behave(desk, (target) => (target.startsWith("/api/v1/work/") ? tooMany : undefined))
  expect((await readsOf(desk, () => record(desk))).length).toBeLessThanOrEqual(READS_AT_ONCE)
  behave(desk)
  expect(await readsOf(desk, () => record(desk))).toEqual([])
  expect(contentOf(await record(desk))).toMatchObject({ complete: false, data: [] })
})

test("the desk reads nothing more for a client that has left", async () => {
  const desk = await deskWithUnknownWork()
  const { control, heard, openStreams } = desk.upstream
  control.delayMs = 200
  const before = heard.length
  const { hostname, port } = new URL(desk.url)
  const request = httpRequest({ hostname, port, path: "/desk/record?limit=100", headers: desk.people.Cleo })
  request.on("error", () => undefined)
  request.end()
  const isRead = () => heard.slice(before).some(({ url }) => url.startsWith("/api/v1/work/"))
  await expect.poll(isRead).toBe(true)
  request.destroy()
  await expect.poll(openStreams).toBe(0)
  expect(heard.slice(before).filter(({ url }) => url.startsWith("/api/v1/work/")).length).toBeLessThanOrEqual(
    READS_AT_ONCE,
  )
})

test("a page of listWork costs at most 20 reads besides, and its header says where it is not whole", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const id = (index: number) => `work-${index}`
  const data = Array.from({ length: 49 }, (_, index) => ({
    id: id(index),
    status: "working",
    visibility_scope: "private",
  }))
  const works = data.map(({ id: each }) => fakeWork(each, 0, { approvals: [fakeApproval(`of ${each}`)] }))
  // Only the client's list has the Works, so that the watcher does not read their approvals.
  behave(desk, (target) => (target.includes("limit=49") ? { status: 200, body: { data } } : undefined))
  desk.upstream.works.push(...works)
  const list = (person: "Ada" | "Cleo") => ask(desk, desk.people[person], "/api/v1/work?status=working&limit=49")
  expect(await readsOf(desk, () => list("Ada"))).toHaveLength(READS_MAX)
  const page = await list("Ada")
  expect(contentOf(page)["data"]).toHaveLength(READS_MAX)
  expect(page.headers["desk-incomplete"]).toBe("true")
  // Approvals decide nothing for a reader, so nothing is in doubt.
  expect((await list("Cleo")).headers["desk-incomplete"]).toBeUndefined()
})
