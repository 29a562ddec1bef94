import { describe, expect, it } from "vitest"
import { isProblem } from "../../contract/problem.ts"
import { CANARY, MUTATION, problemOf, send, startTestProxy } from "../testing/desk.ts"
import { reply, startUpstream } from "../testing/upstreams.ts"
import { TIMEOUTS } from "./upstream.ts"

const PROBLEM = {
  type: "about:blank",
  title: "Gone stale",
  status: 412,
  detail: "Read again.",
  instance: "/x",
  code: "STALE_VERSION",
  request_id: "r-1",
  retryable: false,
}

describe("answers", () => {
  it("JSON passes byte for byte, whatever is in it", async () => {
    const body = Buffer.from(
      '{ "id":"w","version":9223372036854775807, "unknown" : [1.0,1e400,"\\u202e\\ud800","é"],"a":1,"a":2 }\n',
    )
    const proxy = await startTestProxy((await startUpstream(reply(200, "application/json; charset=utf-8", body))).url)
    const answer = await send(proxy.url, "/api/v1/work/w")
    expect(answer.body.equals(body)).toBe(true)
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8")
    expect(answer.headers["content-length"]).toBe(String(body.length))
  })

  it.each([400, 401, 403, 404, 409, 412, 418, 422, 428, 429, 500, 503, 599])(
    "a Problem with status %i passes byte for byte",
    async (status) => {
      const body = JSON.stringify({ ...PROBLEM, status, failure_code: "x", more: { of: ["it"] } }, null, 3)
      const retry = { "Retry-After": "7", RateLimit: '"read";r=0;t=30', "RateLimit-Policy": '"read";q=600;w=60' }
      const upstream = await startUpstream(reply(status, "application/problem+json", body, retry))
      const proxy = await startTestProxy(upstream.url)
      for (const [method, path] of [
        ["GET", "/api/v1/work"],
        ["POST", "/api/v1/work"],
        ["GET", "/api/v1/work/w/events"],
        ["GET", "/api/v1/work/w/artifacts/a/content"],
      ] as const) {
        const answer = await send(proxy.url, path, { method, headers: MUTATION, body: method === "POST" ? "{}" : "" })
        expect([answer.status, answer.text, answer.headers["content-type"]]).toEqual([
          status,
          body,
          "application/problem+json",
        ])
        expect(answer.headers).toMatchObject({
          "retry-after": "7",
          ratelimit: '"read";r=0;t=30',
          "ratelimit-policy": '"read";q=600;w=60',
          "cache-control": "no-store",
        })
      }
    },
  )

  it.each([
    ["as it is", (text: string) => text],
    [
      "escaped as JSON may",
      (text: string) =>
        text
          .split("")
          .map((character) => `\\u00${character.charCodeAt(0).toString(16)}`)
          .join(""),
    ],
    ["as an address would have it", encodeURIComponent],
  ])("a Problem that echoes the token %s is sent without the token and with a right length", async (_, spell) => {
    const spelled = spell(CANARY)
    const body = JSON.stringify({ ...PROBLEM, size: 1 })
      .replace("Read again.", `Bearer ${spelled} is wrong, ${spelled}!`)
      .replace('"size":1', `"size":9007199254740993,"${spelled}":1`)
    const upstream = await startUpstream(
      reply(401, "application/problem+json", body, { ETag: `"${CANARY}"`, "Retry-After": "1" }),
    )
    const proxy = await startTestProxy(upstream.url)
    const answer = await send(proxy.url, "/api/v1/work")
    expect([answer.status, isProblem(JSON.parse(answer.text))]).toEqual([401, true])
    expect(answer.text).not.toContain(CANARY)
    expect(answer.text).not.toContain(spelled)
    expect(answer.text).toContain("9007199254740993")
    expect(answer.headers["content-length"]).toBe(String(answer.body.length))
    expect(answer.headers.etag).toBeUndefined()
  })

  it("a Problem of the desk has the request id of the log line and no secret", async () => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    const answer = await send(proxy.url, "/api/v1/work/secret-id?cursor=x")
    const problem = problemOf(answer)
    expect(isProblem(problem)).toBe(true)
    expect([answer.status, problem.code, problem["retryable"]]).toEqual([502, "PROXY_UPSTREAM_UNREACHABLE", true])
    await expect.poll(() => proxy.logged).toHaveLength(1)
    expect(JSON.parse(proxy.logged[0] ?? "")).toEqual({
      level: "error",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      request_id: problem.request_id,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      client: "127.0.0.1",
      person: "local",
      operation: "getWork",
      method: "GET",
      route: "/api/v1/work/{id}",
      status: 502,
      ms: expect.any(Number),
      code: "PROXY_UPSTREAM_UNREACHABLE",
      cause: "refused",
      message: "request",
    })
  })

  it("a browser that leaves does not stop a mutation: its answer is recorded", async () => {
    let letAnswer = () => {}
    const upstream = await startUpstream((_, response) => {
      letAnswer = () => {
        response.writeHead(201, { "Content-Type": "application/json" })
        response.end('{"id":"w-1","version":1}')
      }
    })
    const proxy = await startTestProxy(upstream.url)
    const leaving = new AbortController()
    const body = '{"colleague_id":"a","objective":"o"}'
    const asked = fetch(`${proxy.url}/api/v1/work`, { method: "POST", headers: MUTATION, signal: leaving.signal, body })
    await expect.poll(() => upstream.openStreams()).toBe(1)
    const outcomes = async () => {
      const { text } = await send(proxy.url, "/desk/record")
      const page = JSON.parse(text) as { data: { outcome: string; operation: string }[] }
      return page.data.map(({ outcome, operation }) => [operation, outcome])
    }
    expect(await outcomes()).toEqual([["createWork", "unknown"]])
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => proxy.logged.join("\n")).toContain('"status":499')
    expect(upstream.openStreams()).toBe(1)
    letAnswer()
    await expect.poll(outcomes).toEqual([["createWork", "recorded"]])
    expect(upstream.heard).toHaveLength(1)
  })

  it("a browser that leaves ends a read and a download at once", async () => {
    const upstream = await startUpstream(() => undefined)
    const proxy = await startTestProxy(upstream.url)
    for (const [method, path] of [
      ["GET", "/api/v1/work"],
      ["GET", "/api/v1/work/w/artifacts/a/content"],
    ] as const) {
      const leaving = new AbortController()
      const asked = fetch(proxy.url + path, { method, signal: leaving.signal })
      await expect.poll(() => upstream.openStreams()).toBe(1)
      leaving.abort()
      await expect(asked).rejects.toThrow()
      await expect.poll(() => upstream.openStreams(), { timeout: TIMEOUTS.headers / 2 }).toBe(0)
    }
  })

  it("a mutation is sent once, even when its connection breaks", async () => {
    let asked = 0
    const upstream = await startUpstream((_, response) => {
      asked++
      response.destroy()
    })
    const proxy = await startTestProxy(upstream.url)
    const answer = await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    expect([answer.status, problemOf(answer)["retryable"], asked]).toEqual([502, true, 1])
  })
})
