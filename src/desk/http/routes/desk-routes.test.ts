import { describe, expect, it } from "vitest"
import { operations } from "../../../contract/operations.ts"
import { problemOf, send, startTestProxy } from "../../testing/desk.ts"
import { startUpstream, type Answering } from "../../testing/upstreams.ts"
import { startSignInProxy } from "../../testing/sign-in.ts"

const problem =
  (status: number): Answering =>
  (_, response) => {
    response.writeHead(status, { "Content-Type": "application/problem+json" })
    response.end(
      JSON.stringify({
        type: "t",
        title: "t",
        status,
        detail: "d",
        instance: "i",
        code: "C",
        request_id: "r",
        retryable: false,
      }),
    )
  }

describe("/desk", () => {
  it("session tells the app what it needs and nothing more", async () => {
    const colleagues = [{ id: "analyst", label: "Analyst" }]
    const proxy = await startTestProxy("http://127.0.0.1:1/base", { colleagues, version: "1.2.3" })
    const reply = await send(proxy.url, "/desk/session?x")
    expect([reply.status, reply.headers["content-type"], JSON.parse(reply.text)]).toEqual([
      200,
      "application/json",
      {
        mode: "local",
        person: {
          id: "local",
          name: "local",
          roles: ["reader", "answerer", "delegator", "approver"],
          operations: expect.arrayContaining(Object.keys(operations)),
        },
        upstream: "upstream.test",
        colleagues,
        version: "1.2.3",
        contact: null,
        ends_at: null,
        teams: [],
        has_overseers: false,
      },
    ])
  })

  it("health says only whether the proxy serves", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    const reply = await send(proxy.url, "/desk/health")
    expect([reply.status, reply.text, reply.headers["content-type"]]).toEqual([200, "ok", "text/plain; charset=utf-8"])
    expect(upstream.heard).toEqual([])
  })

  it.each([
    ["answers", undefined, 200],
    ["may not list", problem(403), 200],
    ["is asked too often", problem(429), 200],
    ["does not know the credential", problem(401), 503],
    ["fails", problem(500), 503],
    ["is something else", ((_, response) => response.end("<html>")) satisfies Answering, 503],
  ])("health?upstream, when the upstream %s", async (_, answer, status) => {
    const upstream = await startUpstream(answer)
    const proxy = await startTestProxy(upstream.url)
    const reply = await send(proxy.url, "/desk/health?upstream")
    expect(reply.status).toBe(status)
    expect(upstream.heard.map(({ method, url }) => [method, url])).toEqual([["GET", "/api/v1/work?limit=1"]])
    if (status === 503) expect(problemOf(reply).code).toBe("PROXY_UPSTREAM_UNHEALTHY")
    else expect(reply.text).toBe("ok")
  })

  it("health?upstream asks at most once in 5 s for everybody", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(proxy.url, "/desk/health?upstream")))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(upstream.heard).toHaveLength(1)
  })

  it("health?upstream needs a session where people sign in, and health alone does not", async () => {
    const upstream = await startUpstream()
    const proxy = await startSignInProxy(upstream.url)
    expect((await send(proxy.url, "/desk/health?upstream")).status).toBe(401)
    expect((await send(proxy.url, "/desk/health")).status).toBe(200)
    expect(upstream.heard).toEqual([])
    const ada = await proxy.signIn("Ada", [])
    expect((await send(proxy.url, "/desk/health?upstream", { headers: { ...ada } })).status).toBe(200)
    expect(upstream.heard).toHaveLength(1)
  })

  it("health?upstream, when the upstream cannot be reached", async () => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    expect((await send(proxy.url, "/desk/health?upstream")).status).toBe(503)
    expect((await send(proxy.url, "/desk/health?upstream=1")).status).toBe(503)
    expect((await send(proxy.url, "/desk/health?upstreams")).status).toBe(200)
  })

  it.each(["/desk", "/desk/", "/desk/Session", "/desk/session/", "/desk/../desk/session", "/desk/token"])(
    "%s is 404, for a navigation too",
    async (path) => {
      const proxy = await startTestProxy("http://127.0.0.1:1")
      const reply = await send(proxy.url, path, { headers: { Accept: "text/html" } })
      expect([reply.status, problemOf(reply).code]).toEqual([404, "PROXY_PATH_UNKNOWN"])
    },
  )

  it.each(["/desk/session", "/desk/health"])("%s accepts only GET", async (path) => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) {
      const reply = await send(proxy.url, path, { method })
      expect([reply.status, reply.headers.allow]).toEqual([405, "GET"])
    }
  })
})

it("each request is one line of JSON without path, query, header or body", async () => {
  const proxy = await startTestProxy((await startUpstream()).url)
  const SECRET = "find-me"
  const headers = {
    Accept: `text/html;x=${SECRET}`,
    Cookie: SECRET,
    "Idempotency-Key": SECRET,
    "Content-Type": "application/json",
  }
  const paths = [
    `/api/v1/work/${SECRET}?status=${SECRET}`,
    `/api/v1/${SECRET}`,
    `/${SECRET}`,
    `/assets/${SECRET}`,
    `/desk/${SECRET}`,
    `/desk/session?${SECRET}`,
    "/desk/health",
    "/api/v1/work",
  ]
  for (const path of paths) await send(proxy.url, path, { headers })
  await send(proxy.url, "/api/v1/work", { method: "POST", headers, body: JSON.stringify({ title: SECRET }) })
  await expect.poll(() => proxy.logged).toHaveLength(paths.length + 1)
  expect(proxy.logged.join("\n")).not.toContain(SECRET)
  const lines: Record<string, unknown>[] = proxy.logged.map((line) => JSON.parse(line))
  expect(lines.map(({ route, status }) => [route, status])).toEqual([
    ["/api/v1/work/{id}", 200],
    ["none", 404],
    ["/", 404],
    ["/assets", 404],
    ["none", 404],
    ["/desk/session", 200],
    ["/desk/health", 200],
    ["/api/v1/work", 200],
    ["/api/v1/work", 200],
  ])
  const members = [
    "level",
    "time",
    "request_id",
    "trace_id",
    "span_id",
    "client",
    "person",
    "operation",
    "method",
    "route",
    "status",
    "ms",
    "code",
    "message",
  ]
  for (const line of lines) expect(Object.keys(line).filter((name) => !members.includes(name))).toEqual([])
  expect(lines.at(-1)).toMatchObject({ person: "local", operation: "createWork", message: "request" })
  expect(new Set(lines.map((line) => line["request_id"])).size).toBe(lines.length)
})
