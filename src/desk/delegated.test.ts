import { expect, test } from "vitest"
import { ask, CONCEALED, delegate, startVisibilityDesk, startWorkUpstream } from "./testing/concealed-work.ts"
import { contentOf } from "./testing/concealed-walk.ts"
import { answerFrom, fakeWork } from "./watcher/testing/simulation.ts"
import { MUTATION, send, startTestProxy } from "./testing/desk.ts"
import { startUpstream } from "./testing/upstreams.ts"

const SHOWN = "shown"

/** A desk where Ben delegated one Work that everybody sees and one that is concealed from Ada. A third has no known delegator. */
async function startDesk() {
  const desk = await startVisibilityDesk(await startWorkUpstream())
  await delegate(desk, SHOWN, "organization", { created: 2_000 })
  await delegate(desk, CONCEALED, "private", { created: 3_000 })
  desk.upstream.works.push(fakeWork("of nobody", 1_000, { json: { visibility_scope: "organization" } }))
  await expect.poll(async () => contentOf(await ask(desk, desk.people.Dora, "/desk/work"))).toMatchObject({ of: 3 })
  return desk
}

const idsIn = (content: Record<string, unknown>) => (content["data"] as { id: string }[]).map(({ id }) => id)

test("a row says who delegated its Work, and the list is filtered by that person", async () => {
  const desk = await startDesk()
  const { Ada, Ben } = desk.people
  const all = contentOf(await ask(desk, Ben, "/desk/work"))
  const { id } = contentOf(await ask(desk, Ben, "/desk/session"))["person"] as { id: string }
  expect(all["delegated"]).toEqual({ [SHOWN]: { id, name: "Ben" }, [CONCEALED]: { id, name: "Ben" } })
  expect(all["delegators"]).toEqual([{ id, name: "Ben" }])
  const by = async (person: typeof Ada, query: string) =>
    idsIn(contentOf(await ask(desk, person, `/desk/work?${query}`)))
  expect(await by(Ben, "by=me")).toEqual([CONCEALED, SHOWN])
  expect(await by(Ada, `by=${id}`)).toEqual([SHOWN])
  expect(await by(Ada, "by=me")).toEqual([])
  expect(await by(Ada, "by=somebody-else")).toEqual([])
  expect(contentOf(await ask(desk, Ada, "/desk/work"))["delegated"]).toEqual({ [SHOWN]: { id, name: "Ben" } })
})

test("the list is filtered by instants, and any other text is refused", async () => {
  const desk = await startDesk()
  const { Dora } = desk.people
  const { created_at: at } =
    (contentOf(await ask(desk, Dora, "/desk/work?q=shown"))["data"] as { created_at: string }[])[0] ?? {}
  const list = async (query: string) => idsIn(contentOf(await ask(desk, Dora, `/desk/work?${query}`)))
  expect(await list(`created_from=${at}`)).toEqual([CONCEALED, SHOWN])
  expect(await list(`created_before=${at}`)).toEqual(["of nobody"])
  expect(await list(`created_from=${at}&created_before=${at}`)).toEqual([])
  for (const query of ["created_from=yesterday", "created_before=2026-11-28", "created_from="])
    expect((await ask(desk, Dora, `/desk/work?${query}`)).status, query).toBe(400)
})

test("an answer about delegators leaves out unknown Work, concealed Work and Work without a delegator", async () => {
  const desk = await startDesk()
  const { Ada, Ben } = desk.people
  const asked = [SHOWN, CONCEALED, "of nobody", "absent"].map((id) => `work=${encodeURIComponent(id)}`).join("&")
  const delegated = async (person: typeof Ada) =>
    contentOf(await ask(desk, person, `/desk/delegated?${asked}`))["delegated"]
  expect(Object.keys((await delegated(Ben)) as object)).toEqual([SHOWN, CONCEALED])
  expect(await delegated(Ada)).toEqual({ [SHOWN]: { id: expect.any(String), name: "Ben" } })
  const many = (count: number) => Array.from({ length: count }, (_, index) => `work=w${index}`).join("&")
  expect((await ask(desk, Ada, `/desk/delegated?${many(100)}`)).status).toBe(200)
  for (const query of ["", many(101)]) expect((await ask(desk, Ada, `/desk/delegated?${query}`)).status).toBe(400)
})

test("in local mode nobody is named, and the filter by a person has no effect", async () => {
  const upstream = await startUpstream(({ url }, response) => {
    const { status, body } = answerFrom([fakeWork("w1", 1_000)], url)
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(JSON.stringify(body))
  })
  const proxy = await startTestProxy(upstream.url)
  const read = async (query: string) => JSON.parse((await send(proxy.url, `/desk/work?${query}`)).text)
  await expect.poll(() => read("by=me")).toMatchObject({ total: 1, delegated: {} })
  expect(await read("by=me")).not.toHaveProperty("delegators")
  expect(JSON.parse((await send(proxy.url, "/desk/delegated?work=w1", { headers: MUTATION })).text)).toEqual({
    delegated: {},
  })
})
