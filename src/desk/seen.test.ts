/** What is new to the one person of local mode, mostly. `seen.long.test.ts` has the people of a desk with sign-in. */
import { expect, test } from "vitest"
import type { NewWork } from "../contract/desk-work.ts"
import { ask, delegate, startVisibilityDesk, startWorkUpstream } from "./testing/concealed-work.ts"
import { MUTATION, send, startTestProxy } from "./testing/desk.ts"
import { startUpstream } from "./testing/upstreams.ts"
import { answerFrom, fakeClarification, fakeWork, problem } from "./watcher/testing/simulation.ts"

test("every Work whose version rose or that has a new item is new, until a version of it was seen", async () => {
  const inMs = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString()
  const works = [fakeWork("one", Date.now()), fakeWork("two", Date.now() - 1_000, { version: 5 })]
  const upstream = await startUpstream(({ url }, response) => {
    const { status, body } = answerFrom(works, url)
    response.writeHead(status, { "Content-Type": `application/${status === 200 ? "json" : "problem+json"}` })
    response.end(JSON.stringify(body))
  })
  const proxy = await startTestProxy(upstream.url)
  const read = async (): Promise<NewWork> => {
    await send(proxy.url, "/desk/work", { headers: { "Cache-Control": "no-cache" } })
    return JSON.parse((await send(proxy.url, "/desk/seen")).text)
  }
  const report = async (body: object) =>
    (await send(proxy.url, "/desk/seen", { method: "POST", headers: MUTATION, body: JSON.stringify(body) })).status

  await expect.poll(read).toMatchObject({ new: [], total: 0, complete: true })
  const [one, two] = works
  Object.assign(one ?? {}, { version: 2, json: { updated_at: inMs(0) } })
  const asked = { clarificationId: "q", clarifications: [fakeClarification("q", { created_at: inMs(1) })] }
  Object.assign(two ?? {}, { version: 6, status: "needs_you", json: { updated_at: inMs(0) }, ...asked })
  const isNew = [
    { work: "two", title: "Title two", what: ["asked"], at: expect.any(String) },
    { work: "one", title: "Title one", what: ["changed"], at: expect.any(String) },
  ]
  await expect.poll(async () => (await read()).new, { timeout: 10_000 }).toEqual(isNew)

  const idsOf = async (query: string) => {
    const { data, total } = JSON.parse((await send(proxy.url, `/desk/work?${query}`)).text)
    return [total, ...(data as { id: string }[]).map(({ id }) => id)]
  }
  expect(await idsOf("new=1")).toEqual([2, "one", "two"])
  expect(await report({ work: "one", version: "3" })).toBe(400)
  expect(await report({ work: "absent", version: "1" })).toBe(404)
  expect((await read()).new).toEqual(isNew)
  expect(await report({ work: "one", version: "2" })).toBe(204)
  const { new: left, etag } = await read()
  expect(left).toEqual(isNew.slice(0, 1))
  expect([await idsOf("new=1"), await idsOf("")]).toEqual([
    [1, "two"],
    [2, "one", "two"],
  ])
  expect((await send(proxy.url, "/desk/work?new=2")).status).toBe(400)
  expect(await report({ all: "another" })).toBe(412)
  expect(await report({ all: etag })).toBe(204)
  expect(await read()).toMatchObject({ new: [], total: 0 })
}, 30_000)

test.each([
  ["has no status", { status: 200, body: { id: "w", version: 2 } }, 502],
  ["is not there any more", problem(404, "NOT_FOUND"), 404],
  ["can't be read now", problem(500, "BROKEN"), 500],
])("a version of a Work that %s is not called too new", async (_, later, expected) => {
  const there = { status: 200, body: { id: "w", version: 2 } }
  let reads = 0
  const upstream = await startUpstream(({ url }, response) => {
    const answer = url === "/api/v1/work/w" && ++reads > 1 ? later : there
    const { status, body } = url.startsWith("/api/v1/work?") ? { status: 200, body: { data: [] } } : answer
    response.writeHead(status, { "Content-Type": `application/${status === 200 ? "json" : "problem+json"}` })
    response.end(JSON.stringify(body))
  })
  const { url } = await startTestProxy(upstream.url)
  const body = JSON.stringify({ work: "w", version: "1" })
  expect((await send(url, "/desk/seen", { method: "POST", headers: MUTATION, body })).status).toBe(expected)
})

test("a question that comes before the desk has stored the answer to the delegation is new to the delegator", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const newToBen = async () => (await ask(desk, desk.people.Ben, "/desk/seen")).text
  await newToBen()
  desk.upstream.control.delayMs = 20
  await delegate(desk, "w", "organization")
  desk.upstream.control.delayMs = 0
  const stored = "SELECT at FROM record WHERE outcome = 'recorded'"
  await expect.poll(() => desk.database.read(stored)).toHaveLength(1)
  const [row] = await desk.database.read(stored)
  const created_at = new Date(Number(row?.["at"])).toISOString()
  const asked = { clarificationId: "q", clarifications: [fakeClarification("q", { created_at })] }
  Object.assign(desk.upstream.works[0] ?? {}, { version: 2, status: "needs_you", ...asked })
  await expect.poll(newToBen).toContain('"what":["asked"]')
})
