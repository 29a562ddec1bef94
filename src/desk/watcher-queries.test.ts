import { expect, test } from "vitest"
import type { DecisionContext, OpenWorkList, Overview, Waiting } from "../contract/desk-work.ts"
import { answerFrom, fakeApproval, fakeWork } from "./watcher/testing/simulation.ts"
import { send, startTestProxy } from "./testing/desk.ts"
import { startUpstream } from "./testing/upstreams.ts"

const works = [
  fakeWork("w1", 2_000, { approvals: [fakeApproval("a1"), fakeApproval("a0", { status: "approved" })] }),
  fakeWork("w2", 1_000, { json: { version: 12_345 } }),
]

test("the desk answers what waits, the overview, open Work and the context of an approval", async () => {
  const upstream = await startUpstream(({ url }, response) => {
    const { status, body } = answerFrom(works, url)
    response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json" })
    response.end(JSON.stringify(body))
  })
  const proxy = await startTestProxy(upstream.url)
  const get = async <Body>(path: string): Promise<Body> => {
    const { status, text } = await send(proxy.url, path)
    expect(status, text).toBe(200)
    const body: Body = JSON.parse(text)
    return body
  }
  await expect.poll(() => get<Waiting>("/desk/waiting")).toMatchObject({ complete: true, total: 2 })
  expect((await get<Waiting>("/desk/waiting")).approvals.map(({ item }) => item.id)).toEqual(["a1"])
  expect(await get<Overview>("/desk/overview?zone=Europe/Oslo")).toMatchObject({ checked: 2, total: 2 })
  expect((await get<OpenWorkList>("/desk/work?sort=newest")).data.map(({ id }) => id)).toEqual(["w1", "w2"])
  const context = await get<DecisionContext>("/desk/context?work=w1&approval=a1")
  expect(context).toMatchObject({ known: { approvals: 1 }, destination: { first: false, approved: 1 } })
  expect(context.may).toBeUndefined()
  expect(await get("/desk/context?work=w1&approval=a1&version=1")).toEqual(context)
  expect((await send(proxy.url, "/desk/context?work=w1&approval=a1&version=2")).status).toBe(404)
  for (const path of [
    "/desk/work?sort=x",
    "/desk/overview?zone=Nowhere",
    "/desk/context",
    "/desk/context?work=w1&approval=a1&version=x",
  ]) {
    expect((await send(proxy.url, path)).status).toBe(400)
  }
})

test("the context of a version that the watcher has not read yet is the context of that version", async () => {
  const work = fakeWork("w1", 1, { approvals: [fakeApproval("a1", { version: 1 })] })
  const upstream = await startUpstream(({ url }, response) => {
    response.writeHead(200, { "Content-Type": "application/json" })
    response.end(JSON.stringify(answerFrom([work], url).body))
  })
  const proxy = await startTestProxy(upstream.url)
  const context = (version: number) => send(proxy.url, `/desk/context?work=w1&approval=a1&version=${version}`)
  await expect.poll(async () => (await context(1)).status).toBe(200)
  work.approvals = [fakeApproval("a1", { version: 2, requested_by_colleague: "editor" })]
  expect(JSON.parse((await context(2)).text)).toMatchObject({ first_of_colleague: true })
  expect((await context(3)).status).toBe(404)
})

test("done Work is read once, in the background", async () => {
  const done = [fakeWork("old", 1, { status: "done", approvals: [fakeApproval("x", { status: "approved" })] })]
  const upstream = await startUpstream(({ url }, response) => {
    response.writeHead(200, { "Content-Type": "application/json" })
    response.end(JSON.stringify(answerFrom([...works, ...done], url).body))
  })
  const proxy = await startTestProxy(upstream.url)
  const context = async (url: string) => {
    const { text } = await send(url, "/desk/context?work=w1&approval=a1")
    const found: DecisionContext = JSON.parse(text)
    return found
  }
  await expect.poll(() => context(proxy.url)).toMatchObject({ known: { complete: true } })
  expect(await context(proxy.url)).toMatchObject({ destination: { approved: 2 } })
  expect(upstream.heard.filter(({ url }) => url.includes("/old/"))).toHaveLength(1)
})
