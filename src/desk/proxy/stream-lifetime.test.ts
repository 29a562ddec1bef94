import type { ServerResponse } from "node:http"
import { describe, expect, it } from "vitest"
import { EVENTS_PATH, opened, read, startEvents } from "../testing/events.ts"
import { problemOf, send, startTestProxy } from "../testing/desk.ts"
import { startUpstream, type Answering } from "../testing/upstreams.ts"
import { TIMEOUTS } from "./upstream.ts"

describe("the end of a stream", () => {
  it("comes after the last viewer's leaving; a viewer that comes back before joins the same stream", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const first = read(proxy.url)
    await opened(first)
    upstream.publish()
    await expect.poll(() => first.sequences).toEqual(["1"])
    first.leave()
    const second = read(proxy.url, "?after=1")
    await opened(second)
    expect(upstream.heard).toHaveLength(1)
    second.leave()
    await expect.poll(() => upstream.readers.size).toBe(0)
  })

  it("comes for each of a hundred viewers that connect and abort", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 100; count++) {
      const reader = read(proxy.url)
      if (count % 5 === 0) await opened(reader)
      reader.leave()
    }
    await expect.poll(() => upstream.openStreams()).toBe(0)
    const { promise, resolve } = Promise.withResolvers<number>()
    proxy.server.getConnections((_, count) => resolve(count))
    expect(await promise).toBe(0)
  })

  it("upstream ends the viewers too, cleanly or with an error as upstream", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (const [end, how] of [
      ["clean", (response: ServerResponse) => response.end()],
      ["error", (response: ServerResponse) => response.destroy()],
    ] as const) {
      const readers = [read(proxy.url), read(proxy.url)]
      await opened(...readers)
      for (const response of upstream.readers) how(response)
      await expect.poll(() => readers.map((reader) => reader.end)).toEqual([end, end])
    }
    const again = read(proxy.url)
    await opened(again)
    expect(upstream.heard).toHaveLength(3)
  })

  it("comes after silence for three heartbeats, and not while the upstream sends anything", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url, { timeouts: { ...TIMEOUTS, silentStream: 400 } })
    const reader = read(proxy.url)
    await opened(reader)
    for (let count = 0; count < 5; count++) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      upstream.write(": heartbeat\n\n")
    }
    expect(reader.end).toBeUndefined()
    await expect.poll(() => reader.end).toBe("error")
    expect(upstream.readers.size).toBe(0)
  })
})

describe("a refusal at the opening", () => {
  const body = JSON.stringify({
    type: "t",
    title: "Too many streams",
    status: 429,
    detail: "d",
    instance: "i",
    code: "RATE_LIMITED",
    request_id: "r",
    retryable: true,
  })
  const refuse: Answering = (_, response) => {
    response.writeHead(429, { "Content-Type": "application/problem+json", "Retry-After": "7" })
    response.end(body)
  }

  it("reaches each viewer as the Problem that it is", async () => {
    const upstream = await startUpstream((heard, response) => setTimeout(() => refuse(heard, response), 100))
    const proxy = await startTestProxy(upstream.url)
    const replies = await Promise.all([1, 2, 3, 3].map((after) => send(proxy.url, `${EVENTS_PATH}?after=${after}`)))
    expect(replies.map(({ status, text, headers }) => [status, text, headers["retry-after"]])).toEqual(
      replies.map(() => [429, body, "7"]),
    )
  })

  it("by the desk has the request id of each viewer", async () => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    const replies = await Promise.all([0, 0, 0].map((after) => send(proxy.url, `${EVENTS_PATH}?after=${after}`)))
    expect(new Set(replies.map((reply) => problemOf(reply).request_id)).size).toBe(3)
  })

  it("of a second stream ends only the viewers that needed it", async () => {
    const events = await startEvents()
    for (let count = 0; count < 20; count++) events.publish()
    const upstream = await startUpstream((heard, response) => {
      if (heard.url.endsWith("after=0")) return refuse(heard, response)
      response.writeHead(200, { "Content-Type": "text/event-stream" })
      return response.write("id: 11\ndata: x\n\n")
    })
    const proxy = await startTestProxy(upstream.url)
    const live = read(proxy.url, "?after=10")
    await opened(live)
    expect((await send(proxy.url, `${EVENTS_PATH}?after=0`)).status).toBe(429)
    expect(live.end).toBeUndefined()
  })
})

describe("stopping the desk", () => {
  it("ends the streams, lets a request in progress finish, and takes no more", async () => {
    const upstream = await startUpstream((heard, response) => {
      const isStream = heard.url.includes("events")
      response.writeHead(200, { "Content-Type": isStream ? "text/event-stream" : "application/json" })
      if (isStream) response.flushHeaders()
      else setTimeout(() => response.end('{"id":"w"}'), 300)
    })
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url)
    await opened(reader)
    const slow = send(proxy.url, "/api/v1/work")
    await expect.poll(() => upstream.heard).toHaveLength(2)
    await proxy.stop()
    expect(reader.end).toBe("clean")
    expect((await slow).text).toBe('{"id":"w"}')
    await expect(send(proxy.url, "/desk/health")).rejects.toThrow()
    expect(upstream.openStreams()).toBe(0)
  })

  it("closes the connection of a stream that is not open yet, so that a balancer asks another desk", async () => {
    const upstream = await startUpstream(() => undefined)
    const proxy = await startTestProxy(upstream.url)
    const answer = send(proxy.url, "/api/v1/work/w1/events?after=0")
    const refused = expect(answer).rejects.toThrow()
    await expect.poll(() => upstream.heard).toHaveLength(1)
    await proxy.stop()
    await refused
  })
})
