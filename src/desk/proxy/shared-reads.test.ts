import type { ServerResponse } from "node:http"
import { describe, expect, it } from "vitest"
import { MUTATION, send, startTestProxy } from "../testing/desk.ts"
import { startUpstream } from "../testing/upstreams.ts"
import { TIMEOUTS } from "./upstream.ts"

/** An upstream that answers only when the test says so. */
async function startHolding() {
  const held: { url: string; method: string; response: ServerResponse }[] = []
  const upstream = await startUpstream(({ url, method }, response) => {
    if (url.includes("/events")) {
      response.writeHead(200, { "Content-Type": "text/event-stream" })
      response.flushHeaders()
    }
    held.push({ url, method, response })
  })
  const proxy = await startTestProxy(upstream.url)
  const hears = (count: number) => expect.poll(() => held, { interval: 5 }).toHaveLength(count)
  const release = (index: number, status = 200) => {
    held[index]?.response.writeHead(status, { "Content-Type": "application/json" })
    held[index]?.response.end(JSON.stringify({ answer: index, id: "w" }))
  }
  return { upstream, proxy, held, hears, release }
}

/** Waits until earlier requests have reached the upstream, by sending another request that reaches it. */
async function asked({ proxy, held, release }: Awaited<ReturnType<typeof startHolding>>) {
  const marker = `/api/v1/work?cursor=${Math.random()}`
  const reply = send(proxy.url, marker)
  await expect.poll(() => held.some(({ url }) => url === marker), { interval: 5 }).toBe(true)
  const index = held.findIndex(({ url }) => url === marker)
  release(index)
  await reply
  held.splice(index, 1)
}

describe("identical reads in flight", () => {
  it("are one request to the upstream, and each gets the whole answer", async () => {
    const desk = await startHolding()
    const replies = Array.from({ length: 20 }, () => send(desk.proxy.url, "/api/v1/work?limit=3"))
    await desk.hears(1)
    await asked(desk)
    desk.release(0)
    expect((await Promise.all(replies)).map(({ status, text }) => [status, text])).toEqual(
      replies.map(() => [200, '{"answer":0,"id":"w"}']),
    )
    expect(desk.held).toHaveLength(1)
  })

  it("share a refusal too", async () => {
    const desk = await startHolding()
    const replies = [send(desk.proxy.url, "/api/v1/work"), send(desk.proxy.url, "/api/v1/work")]
    await desk.hears(1)
    await asked(desk)
    desk.held[0]?.response.destroy()
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([502, 502])
  })

  it("are not joined by a read with Cache-Control: no-cache, which others may join", async () => {
    const desk = await startHolding()
    const ask = (headers = {}) => send(desk.proxy.url, "/api/v1/work", { headers })
    const first = ask()
    await desk.hears(1)
    const fresh = ask({ "Cache-Control": "no-cache" })
    await desk.hears(2)
    const joining = ask()
    await asked(desk)
    desk.release(1)
    desk.release(0)
    const texts = (await Promise.all([first, fresh, joining])).map(({ text }) => text)
    expect(texts).toEqual(['{"answer":0,"id":"w"}', '{"answer":1,"id":"w"}', '{"answer":1,"id":"w"}'])
    expect(desk.upstream.heard.every(({ headers }) => headers["cache-control"] === undefined)).toBe(true)
  })

  it("that are not identical are not shared", async () => {
    const desk = await startHolding()
    const replies = [
      send(desk.proxy.url, "/api/v1/work"),
      send(desk.proxy.url, "/api/v1/work?limit=1"),
      send(desk.proxy.url, "/api/v1/work/a"),
      send(desk.proxy.url, "/api/v1/work/%61"),
      send(desk.proxy.url, "/api/v1/work", { headers: { Accept: "application/json" } }),
    ]
    await desk.hears(5)
    for (const index of replies.keys()) desk.release(index)
    await Promise.all(replies)
  })

  it("leave nothing in memory: the next read is a new request", async () => {
    const desk = await startHolding()
    for (const index of [0, 1]) {
      const reply = send(desk.proxy.url, "/api/v1/work")
      await desk.hears(index + 1)
      desk.release(index)
      expect((await reply).text).toBe(`{"answer":${index},"id":"w"}`)
    }
  })

  it("continue when one reader leaves, and are aborted with the last", async () => {
    const desk = await startHolding()
    const [one, two] = [new AbortController(), new AbortController()]
    const first = fetch(`${desk.proxy.url}/api/v1/work`, { signal: one.signal })
    await desk.hears(1)
    const second = fetch(`${desk.proxy.url}/api/v1/work`, { signal: two.signal })
    await asked(desk)
    one.abort()
    await expect(first).rejects.toThrow()
    await asked(desk)
    expect(desk.held[0]?.response.destroyed).toBe(false)
    two.abort()
    await expect(second).rejects.toThrow()
    await expect.poll(() => desk.held[0]?.response.destroyed, { timeout: TIMEOUTS.headers / 2 }).toBe(true)
    const third = send(desk.proxy.url, "/api/v1/work")
    await desk.hears(2)
    desk.release(1)
    expect((await third).text).toBe('{"answer":1,"id":"w"}')
  })
})

describe("a read that must see a change", () => {
  it("does not join one that began before a mutation was answered", async () => {
    const desk = await startHolding()
    const before = send(desk.proxy.url, "/api/v1/work/w")
    await desk.hears(1)
    const mutation = send(desk.proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    await desk.hears(2)
    desk.release(1, 201)
    await mutation
    const after = send(desk.proxy.url, "/api/v1/work/w")
    await desk.hears(3)
    desk.release(2)
    expect((await after).text).toBe('{"answer":2,"id":"w"}')
    desk.release(0)
    expect((await before).text).toBe('{"answer":0,"id":"w"}')
  })

  it("does not join one that began before an event of any Work was relayed; a heartbeat is no event", async () => {
    const desk = await startHolding()
    const stream = await fetch(`${desk.proxy.url}/api/v1/work/other/events?after=0`)
    const reader = stream.body?.getReader()
    await desk.hears(1)
    const before = send(desk.proxy.url, "/api/v1/work/w")
    await desk.hears(2)
    desk.held[0]?.response.write(": heartbeat\n\n")
    await reader?.read()
    const joined = send(desk.proxy.url, "/api/v1/work/w")
    await asked(desk)
    expect(desk.held).toHaveLength(2)
    desk.held[0]?.response.write("id: 1\ndata: {}\n\n")
    await reader?.read()
    const after = send(desk.proxy.url, "/api/v1/work/w")
    await desk.hears(3)
    desk.release(2)
    desk.release(1)
    expect((await after).text).toBe('{"answer":2,"id":"w"}')
    expect([(await before).text, (await joined).text]).toEqual(['{"answer":1,"id":"w"}', '{"answer":1,"id":"w"}'])
    await reader?.cancel()
  })
})

it("mutations are never shared, not even with the same key", async () => {
  const desk = await startHolding()
  const replies = [0, 1].map(() =>
    send(desk.proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" }),
  )
  await desk.hears(2)
  desk.release(0, 201)
  desk.release(1, 201)
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([201, 201])
})
