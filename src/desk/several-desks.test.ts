import type { ServerResponse } from "node:http"
import { expect, onTestFinished, test } from "vitest"
import { PostgresServer } from "./store/testing/postgres.ts"
import { answerFrom, fakeApproval, fakeWork } from "./watcher/testing/simulation.ts"
import { readLimits } from "./http/desk-configuration.ts"
import { opened, Reader, startEvents } from "./testing/events.ts"
import { MUTATION, openStore, send, startTestProxy, type TestProxy } from "./testing/desk.ts"
import { type Answering, startUpstream } from "./testing/upstreams.ts"

test("a decision and an event at one desk reach the watcher of another within two seconds", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const databaseUrl = await server.newDatabase()
  const work = fakeWork("w", 1, { approvals: [fakeApproval("a1")] })
  const streams: ServerResponse[] = []
  const answer: Answering = ({ url, method }, response) => {
    if (url.includes("/events")) {
      streams.push(response)
      response.writeHead(200, { "Content-Type": "text/event-stream" })
      return response.flushHeaders()
    }
    if (method === "POST") work.approvals = []
    const { status, body } = method === "POST" ? { status: 200, body: fakeApproval("a1") } : answerFrom([work], url)
    response.writeHead(status, { "Content-Type": "application/json" })
    response.end(JSON.stringify(body))
  }
  const upstream = await startUpstream(answer)
  const [one, other] = [
    await startTestProxy(upstream.url, await openStore(databaseUrl)),
    await startTestProxy(upstream.url, await openStore(databaseUrl)),
  ]
  const waiting = async (url: string): Promise<{ etag: string; ids: readonly string[]; complete: boolean }> => {
    const { headers, text } = await send(url, "/desk/waiting")
    const { approvals, complete } = JSON.parse(text) as { approvals: { item: { id: string } }[]; complete: boolean }
    return { etag: headers.etag ?? "", ids: approvals.map(({ item }) => item.id), complete }
  }
  for (const { url } of [one, other])
    await expect.poll(() => waiting(url)).toMatchObject({ complete: true, ids: ["a1"] })

  const decide = { method: "POST", headers: { ...MUTATION, "If-Match": '"1"' }, body: '{"decision":"approve"}' }
  expect((await send(one.url, "/api/v1/work/w/approvals/a1/resolve", decide)).status).toBe(200)
  await expect.poll(() => waiting(other.url)).toMatchObject({ ids: [] })

  void send(one.url, "/api/v1/work/w/events?after=0").catch(() => undefined)
  await expect.poll(() => streams.length).toBeGreaterThan(0)
  work.approvals = [fakeApproval("a2")]
  streams.forEach((stream) => stream.write("id: 1\nevent: approval.requested\ndata: {}\n\n"))
  await expect.poll(() => waiting(other.url)).toMatchObject({ ids: ["a2"] })
})

test("each desk opens its part of UPSTREAM_STREAMS, and the part of a desk that ends", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.stop())
  const databaseUrl = await server.newDatabase()
  const upstream = await startEvents()
  const limits = { ...readLimits({}), upstreamStreams: 4 }
  const [one, other] = [
    await startTestProxy(upstream.url, { ...(await openStore(databaseUrl)), limits }),
    await startTestProxy(upstream.url, { ...(await openStore(databaseUrl)), limits }),
  ]
  const follow = ({ url }: TestProxy, id: string) => new Reader(url, `/api/v1/work/${id}/events?after=0`)
  const statusOf = async (proxy: TestProxy, id: string) => {
    const reader = follow(proxy, id)
    await expect.poll(() => reader.status).toBeDefined()
    reader.leave()
    return reader.status
  }
  await opened(follow(one, "a"), follow(one, "b"))
  // Another Work each time, because a stream stays open for a moment after its viewer, and a viewer that joins it counts for nobody.
  let asked = 0
  // The desks hear of each other a moment later.
  const patient = { timeout: 10_000, interval: 500 }
  await expect.poll(() => statusOf(one, `c${asked++}`), patient).toBe(429)
  await opened(follow(other, "d"), follow(other, "e"))
  await expect.poll(() => statusOf(other, `f${asked++}`), patient).toBe(429)
  await expect.poll(() => upstream.readers.size, patient).toBe(4)
  await other.stop()
  await expect.poll(() => statusOf(one, `g${asked++}`), patient).toBe(200)
}, 60_000)
