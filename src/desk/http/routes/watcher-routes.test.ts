/** The answers of the watcher over HTTP, and the log lines of the watcher's reads. */
import { expect, test } from "vitest"
import { answerFrom, fakeApproval, fakeWork, problem } from "../../watcher/testing/simulation.ts"
import { CANARY, MUTATION, send, startTestProxy, type TestProxy } from "../../testing/desk.ts"
import { startUpstream } from "../../testing/upstreams.ts"

const works = [fakeWork("w1", 1), fakeWork("w2", 2)]

/** A proxy whose upstream gives these answers to the watcher. */
async function startWatchingProxy(answer: (url: string) => { status: number; body: unknown }): Promise<TestProxy> {
  const upstream = await startUpstream(({ url }, response) => {
    const { status, body } = answer(url)
    response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json" })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  })
  return startTestProxy(upstream.url)
}

const linesOf = ({ logged }: TestProxy) =>
  logged
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ message, level }) => message === "watcher read failed" && level !== "debug")

test.each([
  [503, problem(503, "BROKEN"), { cause: "refused", upstream_request_id: "request-1" }],
  [502, { status: 200, body: "<html>" }, { cause: "not_the_operation" }],
  [401, problem(401, "UNAUTHENTICATED"), { upstream_request_id: "request-1" }],
  [429, problem(429, "RATE_LIMITED"), { upstream_request_id: "request-1" }],
] as const)("a list that ends with %i is logged with its cause and no secret", async (status, answer, expected) => {
  const proxy = await startWatchingProxy(() => answer)
  await expect.poll(async () => (await send(proxy.url, "/desk/waiting")).text).toContain('"problem":')
  expect(linesOf(proxy)[0]).toMatchObject({ level: "warn", operation: "listWork", status, ...expected })
  expect(proxy.logged.join("\n")).not.toContain(CANARY)
})

test("an upstream that cannot be reached is logged with its cause", async () => {
  const proxy = await startTestProxy("http://127.0.0.1:9")
  await expect.poll(async () => (await send(proxy.url, "/desk/waiting")).text).toContain('"problem":')
  expect(linesOf(proxy)[0]).toMatchObject({ operation: "listWork", status: 502, cause: "refused" })
})

test("a Work that the service refuses is no failure, and has a line only at level debug", async () => {
  const proxy = await startWatchingProxy((url) =>
    url.includes("/w1/") ? problem(403, "FORBIDDEN") : answerFrom(works, url),
  )
  await expect.poll(async () => (await send(proxy.url, "/desk/waiting")).text).toContain('"complete":true')
  expect(linesOf(proxy)).toEqual([])
})

test("a long answer is compressed once for everybody who accepts gzip", async () => {
  const waiting = Array.from({ length: 50 }, (_, at) => fakeWork(`w${at}`, at, { approvals: [fakeApproval(`a${at}`)] }))
  const proxy = await startWatchingProxy((url) => answerFrom(waiting, url))
  await expect.poll(async () => (await send(proxy.url, "/desk/waiting")).text).toContain('"complete":true')
  const plain = await send(proxy.url, "/desk/waiting")
  const headers = { "Accept-Encoding": "br, gzip" }
  const [one, other] = await Promise.all([1, 2].map(() => fetch(`${proxy.url}/desk/waiting`, { headers })))
  for (const response of [one, other]) {
    expect(response?.headers.get("content-encoding")).toBe("gzip")
    expect(response?.headers.get("vary")).toBe("Accept-Encoding")
    expect(response?.headers.get("etag")).toBe(plain.headers["etag"])
    expect(Number(response?.headers.get("content-length"))).toBeLessThan(plain.text.length / 3)
    expect(JSON.parse((await response?.text()) ?? "").approvals).toEqual(JSON.parse(plain.text).approvals)
  }
  expect(plain.headers).not.toHaveProperty("content-encoding")
  const refused = await fetch(`${proxy.url}/desk/waiting`, { headers: { "Accept-Encoding": "gzip;q=0" } })
  expect(refused.headers.get("content-encoding")).toBeNull()
})

/** A service with two Works, an approval, an event stream, and an answer to a decision. */
async function startServiceWithStream(isEventSent: () => boolean) {
  const works = [fakeWork("w1", 1, { approvals: [fakeApproval("a1")] }), fakeWork("w2", 2)]
  const upstream = await startUpstream(({ url, method }, response) => {
    if (url.includes("/events")) {
      response.writeHead(200, { "Content-Type": "text/event-stream" })
      return void setInterval(() => {
        if (isEventSent() && !response.destroyed) response.end("id: 1\nevent: work.changed\ndata: {}\n\n")
        else response.write(": still here\n\n")
      }, 50).unref()
    }
    const { status, body } =
      method === "POST" ? { status: 200, body: fakeApproval("a1", { work_id: "w1" }) } : answerFrom(works, url)
    response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json" })
    response.end(JSON.stringify(body))
  })
  const proxy = await startTestProxy(upstream.url)
  await expect.poll(async () => (await send(proxy.url, "/desk/waiting")).text).toContain('"complete":true')
  // Only a hint leads to getWork.
  const isReadAgain = () => upstream.heard.some(({ method, url }) => method === "GET" && url === "/api/v1/work/w1")
  expect(isReadAgain()).toBe(false)
  return { proxy, isReadAgain }
}

test("a decision takes the approval out of the next answer, and the Work is read again", async () => {
  const { proxy, isReadAgain } = await startServiceWithStream(() => false)
  const headers = { ...MUTATION, "If-Match": '"1"' }
  const path = "/api/v1/work/w1/approvals/a1/resolve"
  await send(proxy.url, path, { method: "POST", headers, body: '{"decision":"approve"}' })
  expect(JSON.parse((await send(proxy.url, "/desk/waiting")).text).approvals).toEqual([])
  await expect.poll(isReadAgain).toBe(true)
})

test("an event that is relayed to a viewer has its Work read again", async () => {
  let isEventSent = false
  const { proxy, isReadAgain } = await startServiceWithStream(() => isEventSent)
  const stream = send(proxy.url, "/api/v1/work/w1/events?after=0").catch(() => undefined)
  isEventSent = true
  await stream
  await expect.poll(isReadAgain).toBe(true)
})
