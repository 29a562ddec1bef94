/** How the proxy sends what waits, and what the log says of the watcher's own reads. */
import { expect, test, vi } from "vitest"
import { answerFrom, fakeApproval, fakeWork, problem } from "../waiting/simulation.ts"
import { CANARY, send, startTestProxy, startUpstream, type TestProxy } from "./testing.ts"

const works = [fakeWork("w1", 1), fakeWork("w2", 2)]

/** A proxy whose upstream answers the watcher so. */
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
    .filter(({ message, level }) => message === "a read of the watcher" && level !== "debug")

test.each([
  [503, problem(503, "BROKEN"), { cause: "refused", upstream_request_id: "request-1" }],
  [502, { status: 200, body: "<html>" }, { cause: "not_the_operation" }],
  [401, problem(401, "UNAUTHENTICATED"), { upstream_request_id: "request-1" }],
  [429, problem(429, "RATE_LIMITED"), { upstream_request_id: "request-1" }],
] as const)("a list that ends with %i is logged with its cause and no secret", async (status, answer, expected) => {
  const proxy = await startWatchingProxy(() => answer)
  await vi.waitFor(async () => expect((await send(proxy.url, "/desk/waiting")).text).toContain('"problem":'))
  expect(linesOf(proxy)[0]).toMatchObject({ level: "warn", operation: "listWork", status, ...expected })
  expect(proxy.logged.join("\n")).not.toContain(CANARY)
})

test("an upstream that is not there is logged with its cause", async () => {
  const proxy = await startTestProxy("http://127.0.0.1:9")
  await vi.waitFor(async () => expect((await send(proxy.url, "/desk/waiting")).text).toContain('"problem":'))
  expect(linesOf(proxy)[0]).toMatchObject({ operation: "listWork", status: 502, cause: "refused" })
})

test("a Work that the service refuses is no failure, and has a line at level debug alone", async () => {
  const proxy = await startWatchingProxy((url) =>
    url.includes("/w1/") ? problem(403, "FORBIDDEN") : answerFrom(works, url),
  )
  await vi.waitFor(async () => expect((await send(proxy.url, "/desk/waiting")).text).toContain('"complete":true'))
  expect(linesOf(proxy)).toEqual([])
})

test("a long answer is compressed once for everybody who accepts gzip", async () => {
  const waiting = Array.from({ length: 50 }, (_, at) => fakeWork(`w${at}`, at, { approvals: [fakeApproval(`a${at}`)] }))
  const proxy = await startWatchingProxy((url) => answerFrom(waiting, url))
  await vi.waitFor(async () => expect((await send(proxy.url, "/desk/waiting")).text).toContain('"complete":true'))
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
