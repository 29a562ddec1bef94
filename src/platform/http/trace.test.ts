import { expect, it } from "vitest"
import { readTrustedProxies } from "./client-address.ts"
import { MUTATION, send, startTestProxy } from "../../desk/testing/desk.ts"
import { answerJson, startUpstream, type Answering } from "../../desk/testing/upstreams.ts"
import { read as readEvents, opened, startEvents } from "../../desk/testing/events.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const SENT = `00-${TRACE}-00f067aa0ba902b7-01`
const trusted = { trustedProxies: readTrustedProxies("127.0.0.1") }

type Line = {
  readonly trace_id: string
  readonly span_id: string
  readonly message: string
  readonly operation?: string
}

it("goes on from a trusted balancer to the upstream with a parent id of the desk, which the log names", async () => {
  const upstream = await startUpstream()
  const proxy = await startTestProxy(upstream.url, { configuration: trusted })
  await send(proxy.url, "/api/v1/work/w", { headers: { traceparent: SENT, tracestate: "vendor=x" } })
  await expect.poll(() => proxy.logged).toHaveLength(1)
  const line = JSON.parse(proxy.logged[0] ?? "") as Line
  expect(line.trace_id).toBe(TRACE)
  expect(line.span_id).not.toBe("00f067aa0ba902b7")
  expect(upstream.heard[0]?.headers).toMatchObject({ traceparent: `00-${TRACE}-${line.span_id}-01` })
  expect(upstream.heard[0]?.headers).not.toHaveProperty("tracestate")
})

it.each([
  ["none", {}],
  ["two", { traceparent: [SENT, SENT] }],
  ["two of a later version", { traceparent: Array<string>(2).fill(`${SENT.replace("00-", "cc-")}-more`) }],
  ["version ff", { traceparent: SENT.replace("00-", "ff-") }],
  ["more in version 00", { traceparent: `${SENT}-00` }],
  ["a trace id of zeros", { traceparent: `00-${"0".repeat(32)}-00f067aa0ba902b7-01` }],
  ["a parent id of zeros", { traceparent: `00-${TRACE}-${"0".repeat(16)}-01` }],
  ["upper case", { traceparent: SENT.toUpperCase() }],
])("begins anew with %s", async (_, headers) => {
  const upstream = await startUpstream()
  const proxy = await startTestProxy(upstream.url, { configuration: trusted })
  await send(proxy.url, "/api/v1/work/w", { headers })
  const sent = String(upstream.heard[0]?.headers["traceparent"])
  expect(sent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  expect(sent).not.toContain(TRACE)
})

it("takes the first parts of a later version, and nothing from a peer that is not trusted", async () => {
  const upstream = await startUpstream()
  const proxy = await startTestProxy(upstream.url, { configuration: trusted })
  await send(proxy.url, "/api/v1/work/w", { headers: { traceparent: `${SENT.replace("00-", "cc-")}-more` } })
  const open = await startTestProxy(upstream.url)
  await send(open.url, "/api/v1/work/w", { headers: { traceparent: SENT } })
  const [later, forged] = upstream.heard.map(({ headers }) => String(headers["traceparent"]))
  expect(later).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
  expect(forged).not.toContain(TRACE)
})

it("is the first reader's for a shared read and a shared stream, and the person's for a mutation", async () => {
  let answer = () => undefined as void
  const slow: Answering = (heard, response) => {
    if (heard.method === "POST") response.writeHead(201, { "Content-Type": "application/json" }).end("{}")
    else answer = () => answerJson(heard, response)
  }
  const upstream = await startUpstream(slow)
  const proxy = await startTestProxy(upstream.url, { configuration: trusted })
  const first = send(proxy.url, "/api/v1/work/w", { headers: { traceparent: SENT } })
  await expect.poll(() => upstream.heard).toHaveLength(1)
  const second = send(proxy.url, "/api/v1/work/w")
  // The answer to a later request shows that the desk has taken the second read.
  await send(proxy.url, "/desk/session")
  answer()
  await Promise.all([first, second])
  expect(upstream.heard.map(({ headers }) => String(headers["traceparent"]).slice(3, 35))).toEqual([TRACE])
  await send(proxy.url, "/api/v1/work", { method: "POST", headers: { ...MUTATION, traceparent: SENT }, body: "{}" })
  expect(String(upstream.heard[1]?.headers["traceparent"])).toContain(TRACE)

  const events = await startEvents()
  const streams = await startTestProxy(events.url, { configuration: trusted })
  const viewer = readEvents(streams.url, "?after=0", { traceparent: SENT })
  await opened(viewer)
  await opened(readEvents(streams.url))
  expect(events.heard.map(({ headers }) => String(headers["traceparent"]).slice(3, 35))).toEqual([TRACE])
})

it("the watcher has one of its own", async () => {
  const upstream = await startUpstream()
  const proxy = await startTestProxy(upstream.url, { configuration: trusted })
  await send(proxy.url, "/desk/waiting", { headers: { traceparent: SENT } })
  await expect.poll(() => upstream.heard.length).toBeGreaterThan(0)
  expect(upstream.heard[0]?.headers["traceparent"]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  expect(upstream.heard[0]?.headers["traceparent"]).not.toContain(TRACE)
})
