/** One Work or one letter that is far too long, or malformed, does not stop the desk for everybody. */
import { expect, test } from "vitest"
import { ITEM_TEXT_MAX_BYTES, ROW_TEXT_MAX_CHARACTERS } from "../contract/limits.ts"
import { fakeApproval, fakeClarification, fakeWork, range } from "./watcher/testing/simulation.ts"
import { ask, delegate, startVisibilityDesk, startWorkUpstream, type VisibilityDesk } from "./testing/concealed-work.ts"
import { contentOf } from "./testing/concealed-walk.ts"
import { MUTATION, send, startTestProxy } from "./testing/desk.ts"
import { startRecordingUpstream } from "./watcher/testing/watcher.ts"

const ONE_MB = 1_000_000
const LONG = { timeout: 20_000 }

test("40 Works with titles of 1 MB are listed, with short rows", async () => {
  const works = range(40).map((index) =>
    fakeWork(`w${index}`, index, { json: { title: "x".repeat(ONE_MB) }, approvals: [fakeApproval(`a${index}`)] }),
  )
  const upstream = await startRecordingUpstream(works)
  const proxy = await startTestProxy(upstream.url)
  const get = async (path: string) => (await send(proxy.url, path)).text
  const waiting = async () => JSON.parse(await get("/desk/waiting"))
  await expect.poll(waiting, LONG).toMatchObject({ complete: true, total: 40, checked: 40 })
  expect((await get("/desk/waiting")).length).toBeLessThan(100_000)
  const rows = JSON.parse(await get("/desk/work"))
  expect(rows.data).toHaveLength(40)
  expect(rows.data[0].title).toHaveLength(ROW_TEXT_MAX_CHARACTERS)
  // The proxy's own list is passed on as the service writes it, in shorter pages.
  const { status, text } = await send(proxy.url, "/api/v1/work?status=working&limit=100")
  expect([status, JSON.parse(text).data.length, typeof JSON.parse(text).next_cursor]).toEqual([200, 25, "string"])
}, 60_000)

test("a person with sign-in gets a shorter page of the list, too", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  const json = { title: "x".repeat(ONE_MB), visibility_scope: "organization" }
  desk.upstream.works.push(...range(40).map((index) => fakeWork(`w${index}`, index, { json })))
  const page = await ask(desk, desk.people.Cleo, "/api/v1/work?status=working&limit=100")
  expect([page.status, contentOf(page)["data"]]).toEqual([200, expect.objectContaining({ length: 25 })])
}, 60_000)

test("Work that cannot be read is counted for its creator and overseers, and for nobody else", async () => {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, "whole", "organization")
  await delegate(desk, "broken", "organization")
  const [, broken] = desk.upstream.works
  if (broken === undefined) throw new Error("there are two Works")
  broken.json = { ...broken.json, priority: null }
  const told = async (person: keyof VisibilityDesk["people"], path: string) => {
    const { unread, total, data } = contentOf(await ask(desk, desk.people[person], path))
    return [unread, total, Array.isArray(data) ? data.length : undefined]
  }
  await expect.poll(() => told("Dora", "/desk/waiting"), LONG).toEqual([1, 2, undefined])
  expect(await told("Ben", "/desk/waiting")).toEqual([1, 2, undefined])
  expect(await told("Ben", "/desk/work")).toEqual([1, 1, 1])
  expect(await told("Cleo", "/desk/waiting")).toEqual([undefined, 1, undefined])
  expect(await told("Cleo", "/desk/work")).toEqual([undefined, 1, 1])
})

test("an item that does not name its Work, or is no object, hides no other item of the Work, and is counted", async () => {
  const upstream = await startRecordingUpstream([fakeWork("w", 0)])
  const data = [fakeApproval("a"), fakeApproval("b", { work_id: null }), null]
  upstream.control.behave = (target) => (target.endsWith("/approvals") ? { status: 200, body: { data } } : undefined)
  const proxy = await startTestProxy(upstream.url)
  const waiting = async () => JSON.parse((await send(proxy.url, "/desk/waiting")).text)
  await expect
    .poll(waiting, LONG)
    .toMatchObject({ approvals: [{ item: { id: "a" } }], unread: 2, checked: 1, complete: true })
  expect(await waiting()).not.toHaveProperty("problem")
})

test("a letter above 1 MiB is listed with its ids, can be declined, and is not approved; nor is such a question answered", async () => {
  const body = "x".repeat(ITEM_TEXT_MAX_BYTES)
  const work = fakeWork("w", 0, {
    status: "needs_you",
    clarificationId: "c",
    approvals: [fakeApproval("a", { body })],
    clarifications: [fakeClarification("c", { why_needed: body })],
  })
  const upstream = await startRecordingUpstream([work])
  const proxy = await startTestProxy(upstream.url)
  const waiting = async () => JSON.parse((await send(proxy.url, "/desk/waiting")).text)
  await expect.poll(waiting, LONG).toMatchObject({
    approvals: [{ item: { id: "a", version: 1, too_large: true } }],
    attention: [{ item: { id: "c", too_large: true } }],
  })
  const resolve = (path: string, content: object) =>
    send(proxy.url, `/api/v1/work/w/${path}/resolve`, {
      method: "POST",
      headers: { ...MUTATION, "Idempotency-Key": JSON.stringify(content), "If-Match": '"1"' },
      body: JSON.stringify(content),
    })
  const refused = { status: 422, code: "PROXY_ITEM_TOO_LARGE" }
  expect(JSON.parse((await resolve("approvals/a", { decision: "approve" })).text)).toMatchObject(refused)
  expect(JSON.parse((await resolve("attention/c", { response: "yes" })).text)).toMatchObject(refused)
  const sent = () => upstream.heard.filter(({ method }) => method === "POST").map(({ target }) => target)
  expect(sent()).toEqual([])
  await resolve("approvals/a", { decision: "decline" })
  expect(sent()).toEqual(["/api/v1/work/w/approvals/a/resolve"])
})

test.each([
  ["a title above 1,000 characters", { title: "😀".repeat(1_001) }, 422],
  ["a time with ten digits after its seconds", { due_at: "2027-01-01T00:00:00.0123456789Z" }, 422],
  [
    "a title of 1,000 characters and a time with nine digits",
    { title: "😀".repeat(1_000), due_at: "2027-01-01T00:00:00.012345678Z" },
    200,
  ],
])("new Work with %s is answered as it should be", async (_, content, status) => {
  const upstream = await startRecordingUpstream([])
  const proxy = await startTestProxy(upstream.url)
  const reply = await send(proxy.url, "/api/v1/work", {
    method: "POST",
    headers: { ...MUTATION, "Idempotency-Key": "k" },
    body: JSON.stringify({ colleague_id: "analyst", objective: "Count", ...content }),
  })
  expect([reply.status, upstream.heard.some(({ method }) => method === "POST")]).toEqual([status, status === 200])
})
