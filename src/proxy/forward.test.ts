import { connect } from "node:net"
import { describe, expect, it, vi } from "vitest"
import { operations } from "../contract/document.ts"
import { isProblem } from "../contract/problem.ts"
import {
  answerJson,
  CANARY,
  MUTATION,
  problemOf,
  send,
  sendRaw,
  startTestProxy,
  startUpstream,
  type Answering,
} from "./testing.ts"

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

const reply =
  (status: number, type: string, body: string | Buffer, headers = {}): Answering =>
  (_, response) => {
    response.writeHead(status, { "Content-Type": type, ...headers })
    response.end(body)
  }

describe("headers upwards", () => {
  it("pass by list, and Connection strips none", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    await send(proxy.url, "/api/v1/work/w/approvals/a/resolve", {
      method: "POST",
      headers: {
        ...MUTATION,
        Accept: "application/json",
        "If-Match": '"3"',
        Connection: "close, If-Match, Idempotency-Key, Authorization",
        Authorization: "Bearer of-somebody-else",
        Cookie: "session=1",
        "Accept-Encoding": "gzip, br",
        "User-Agent": "test",
        Referer: "http://localhost/",
        "X-Forwarded-For": "1.2.3.4",
        Forwarded: "for=1.2.3.4",
        Range: "bytes=0-1",
        "If-None-Match": '"x"',
        "X-HTTP-Method-Override": "DELETE",
        TE: "trailers",
        Origin: `http://127.0.0.1:${proxy.port}`,
      },
      body: '{"decision":"approve"}',
    })
    const [heard] = upstream.heard
    expect(heard?.body).toBe('{"decision":"approve"}')
    expect(heard?.headers).toEqual({
      host: new URL(upstream.url).host,
      connection: "keep-alive",
      authorization: `Bearer ${CANARY}`,
      "accept-encoding": "identity",
      accept: "application/json",
      "content-type": "application/json",
      "idempotency-key": "key-1",
      "if-match": '"3"',
      "content-length": "22",
    })
  })

  it("Last-Event-ID passes for streams alone", async () => {
    const upstream = await startUpstream((heard, response) =>
      reply(200, heard.url.endsWith("/events") ? "text/event-stream" : "application/json", "{}")(heard, response),
    )
    const proxy = await startTestProxy(upstream.url)
    await send(proxy.url, "/api/v1/work/w/events", { headers: { "Last-Event-ID": "7" } })
    await send(proxy.url, "/api/v1/work/w", { headers: { "Last-Event-ID": "7" } })
    expect(upstream.heard.map(({ headers, url }) => [url, headers["last-event-id"]])).toEqual([
      ["/api/v1/work/w/events", "7"],
      ["/api/v1/work/w", undefined],
    ])
  })

  it("a base address with a path and a trailing slash is put before", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(`${upstream.url}/some/base`)
    await send(proxy.url, "/api/v1/work?limit=1")
    expect(upstream.heard.map(({ url }) => url)).toEqual(["/some/base/api/v1/work?limit=1"])
  })
})

describe("request bodies", () => {
  const path = "/api/v1/uploads"
  const accepts: Answering = reply(201, "application/json", "{}")

  it.each([0, 1, 1_048_576])("%i bytes pass unchanged", async (length) => {
    const upstream = await startUpstream(accepts)
    const proxy = await startTestProxy(upstream.url)
    const body = "x".repeat(length)
    expect((await send(proxy.url, path, { method: "POST", headers: MUTATION, body })).status).toBe(201)
    expect(upstream.heard[0]?.body === body).toBe(true)
  })

  it.each([
    ["said in Content-Length", { "Content-Length": "1048577" }],
    ["in chunks of no known length", { "Transfer-Encoding": "chunked" }],
  ])("one byte more is refused, %s", async (_, framing) => {
    const upstream = await startUpstream(accepts)
    const proxy = await startTestProxy(upstream.url)
    const answer = await send(proxy.url, path, {
      method: "POST",
      headers: { ...MUTATION, ...framing },
      body: Buffer.alloc(1_048_577),
    })
    expect([answer.status, problemOf(answer).code]).toEqual([413, "PROXY_BODY_TOO_LARGE"])
    expect(upstream.heard).toEqual([])
  })

  it.each(["Content-Length: 1000000000000", "Transfer-Encoding: chunked"])(
    "an endless body is cut early (%s)",
    async (framing) => {
      const upstream = await startUpstream(accepts)
      const proxy = await startTestProxy(upstream.url)
      const key = Object.entries(MUTATION)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")
      const socket = connect(proxy.port, "127.0.0.1")
      const piece = Buffer.from(framing.startsWith("T") ? `10000\r\n${"x".repeat(65_536)}\r\n` : "x".repeat(65_536))
      let received = ""
      let isClosed = false
      socket.on("error", () => undefined).on("close", () => (isClosed = true))
      socket.on("data", (chunk) => (received += chunk.toString()))
      const pour = () => {
        while (!socket.destroyed && socket.write(piece));
      }
      socket.on("drain", pour)
      socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${key}${framing}\r\n\r\n`)
      pour()
      await vi.waitFor(() => expect(isClosed).toBe(true), 5_000)
      expect(received).toMatch(/^HTTP\/1\.1 413 /)
      expect(socket.bytesWritten - socket.writableLength).toBeLessThan(64 * 1_048_576)
      expect(upstream.heard).toEqual([])
    },
  )

  it.each(["", "Content-Length: 0\r\n"])("a mutation without a body is forwarded (%j)", async (framing) => {
    const upstream = await startUpstream(reply(202, "application/json", "{}"))
    const proxy = await startTestProxy(upstream.url)
    const head = `POST /api/v1/uploads/u/processing/retry HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: k\r\n`
    expect(await sendRaw(proxy.port, `${head}${framing}\r\n`)).toMatch(/^HTTP\/1\.1 202 /)
    expect(upstream.heard.map(({ url }) => url)).toEqual(["/api/v1/uploads/u/processing/retry"])
  })

  it("a client that expects 100 Continue gets it only when the guards have let it pass", async () => {
    const proxy = await startTestProxy((await startUpstream(accepts)).url)
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n`
    const key = Object.entries(MUTATION)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")
    expect(await sendRaw(proxy.port, `${head}\r\n{}`)).toMatch(/^HTTP\/1\.1 400 /)
    expect(await sendRaw(proxy.port, `${head}${key}\r\n{}`)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
  })

  it("a client that breaks off in its body reaches no upstream", async () => {
    const upstream = await startUpstream(accepts)
    const proxy = await startTestProxy(upstream.url)
    const socket = connect(proxy.port, "127.0.0.1")
    const key = Object.entries(MUTATION)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${key}Content-Length: 100\r\n\r\n{"half`)
    await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0))
    socket.resetAndDestroy()
    await vi.waitFor(() => expect(proxy.logged).toHaveLength(1))
    expect(upstream.heard).toEqual([])
    expect((await send(proxy.url, path, { method: "POST", headers: MUTATION, body: "{}" })).status).toBe(201)
  })
})

describe("answers", () => {
  it("JSON passes byte for byte, whatever is in it", async () => {
    const body = Buffer.from(
      '{ "version":9223372036854775807, "unknown" : [1.0,1e400,"\\u202e\\ud800","é"],"a":1,"a":2 }\n',
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

  it("headers pass by list", async () => {
    const upstream = await startUpstream(
      reply(201, "application/json", "{}", {
        ETag: '"3"',
        Location: "/api/v1/work/w",
        "Idempotent-Replayed": "true",
        RateLimit: '"write";r=1;t=2',
        "Set-Cookie": ["a=1", "b=2"],
        Server: "x",
        "X-Powered-By": "x",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Credentials": "true",
        "Content-Security-Policy": "default-src *",
        "Cache-Control": "public, max-age=9",
        Link: "</x>; rel=preload",
        "Strict-Transport-Security": "max-age=1",
        Refresh: "0;url=http://evil.test",
        "Content-Language": "en",
        Vary: "*",
        "WWW-Authenticate": "Bearer",
        "Clear-Site-Data": '"*"',
        "Alt-Svc": "h3",
        "X-Request-Id": "u",
        Date: "x",
        Trailer: "y",
        Age: "3",
      }),
    )
    const proxy = await startTestProxy(upstream.url)
    const answer = await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    const ours = [
      "x-content-type-options",
      "referrer-policy",
      "cross-origin-opener-policy",
      "cross-origin-resource-policy",
      "permissions-policy",
      "x-frame-options",
      "content-security-policy",
      "cache-control",
    ]
    const nodes = ["date", "connection"]
    const passed = ["content-type", "etag", "location", "idempotent-replayed", "ratelimit", "content-length"]
    expect(Object.keys(answer.headers).toSorted()).toEqual([...ours, ...nodes, ...passed].toSorted())
    expect(answer.headers).toMatchObject({
      etag: '"3"',
      "idempotent-replayed": "true",
      "cache-control": "no-store",
      "content-length": "2",
    })
    expect(answer.headers["date"]).not.toBe("x")
  })

  it.each([
    ["/base/api/v1/work/w", "/api/v1/work/w"],
    ["{origin}/base/api/v1/work/w%2Fx?y=1#z", "/api/v1/work/w%2Fx?y=1"],
    ["{origin}/api/v1/work/w", "/api/v1/work/w"],
    ["work/w", "/api/v1/work/w"],
    ["http://evil.test/base/api/v1/work/w", undefined],
    ["//evil.test/api/v1/work/w", undefined],
    ["{origin}@evil.test/api/v1/work/w", undefined],
    ["/base/login", undefined],
    ["/base/api/v1/../../login", undefined],
    ["/api/v1", undefined],
    ["https://{host}/base/api/v1/work/w", undefined],
    ["javascript:alert(1)", undefined],
    ["http://[", undefined],
    [`/base/api/v1/work/${CANARY}`, undefined],
  ])("Location %s leaves as %s", async (location, expected) => {
    const upstream = await startUpstream((heard, response) => {
      const filled = location
        .replace("{origin}", `http://${heard.headers.host}`)
        .replace("{host}", heard.headers.host ?? "")
      reply(201, "application/json", "{}", { Location: filled })(heard, response)
    })
    const proxy = await startTestProxy(`${upstream.url}/base`)
    const answer = await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    expect([answer.status, answer.headers.location]).toEqual([201, expected])
  })

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
  ])("a Problem that echoes the token %s loses it, and stays a Problem of a true length", async (_, spell) => {
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

  it("a Problem of our own has the request id of the log line and no secret", async () => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    const answer = await send(proxy.url, "/api/v1/work/secret-id?cursor=x")
    const problem = problemOf(answer)
    expect(isProblem(problem)).toBe(true)
    expect([answer.status, problem.code, problem["retryable"]]).toEqual([502, "PROXY_UPSTREAM_UNREACHABLE", true])
    await vi.waitFor(() => expect(proxy.logged).toHaveLength(1))
    expect(JSON.parse(proxy.logged[0] ?? "")).toEqual({
      level: "error",
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      request_id: problem.request_id,
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
    await vi.waitFor(() => expect(upstream.openStreams()).toBe(1))
    const outcomes = async () => {
      const { text } = await send(proxy.url, "/desk/record")
      const page = JSON.parse(text) as { data: { outcome: string; operation: string }[] }
      return page.data.map(({ outcome, operation }) => [operation, outcome])
    }
    expect(await outcomes()).toEqual([["createWork", "unknown"]])
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await vi.waitFor(() => expect(proxy.logged.join("\n")).toContain('"status":499'))
    expect(upstream.openStreams()).toBe(1)
    letAnswer()
    await vi.waitFor(async () => expect(await outcomes()).toEqual([["createWork", "recorded"]]))
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
      await vi.waitFor(() => expect(upstream.openStreams()).toBe(1))
      leaving.abort()
      await expect(asked).rejects.toThrow()
      await vi.waitFor(() => expect(upstream.openStreams()).toBe(0))
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

describe("downloads", () => {
  const path = "/api/v1/work/w/artifacts/a/content"

  it.each([
    [undefined, "attachment"],
    ["attachment", "attachment"],
    ['attachment; filename="r\u00e9sum\u00e9.md"', 'attachment; filename="r\u00e9sum\u00e9.md"'],
    ["Attachment; filename*=UTF-8''%E2%82%AC.html", "Attachment; filename*=UTF-8''%E2%82%AC.html"],
    ['inline; filename="page.html"', 'attachment; filename="page.html"'],
    ["inline", "attachment"],
    ["attachmentish; x=1", "attachment; x=1"],
    [`attachment; filename="${CANARY}"`, "attachment"],
  ])("Content-Disposition %s leaves as %s", async (disposition, expected) => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256))
    // Node writes a Content-Disposition after a Content-Length in another encoding.
    const named = disposition === undefined ? {} : { "Content-Disposition": disposition }
    const headers = { ...named, ETag: '"1"', "Content-Length": bytes.length }
    const proxy = await startTestProxy(
      (await startUpstream(reply(200, "application/octet-stream", bytes, headers))).url,
    )
    const answer = await send(proxy.url, path)
    expect([answer.status, answer.body.equals(bytes), answer.headers["content-disposition"]]).toEqual([
      200,
      true,
      expected,
    ])
    expect(answer.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "x-content-type-options": "nosniff",
      "content-length": "70000",
      etag: '"1"',
      "cache-control": "no-store",
    })
    expect(answer.headers["content-security-policy"]).toMatch(/^sandbox;/)
  })

  it("a reader that stalls holds the upstream back, and then gets every byte", async () => {
    const total = 40 * 1_048_576
    let sent = 0
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "Content-Type": "application/octet-stream" })
      const pour = () => {
        while (sent < total) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536, 7))) return response.once("drain", pour)
        }
        return response.end()
      }
      pour()
    })
    const proxy = await startTestProxy(upstream.url)
    const socket = connect(proxy.port, "127.0.0.1")
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    let before = -1
    await vi.waitFor(
      () => {
        const isStill = sent === before && sent > 0
        before = sent
        expect(isStill).toBe(true)
      },
      { timeout: 10_000, interval: 200 },
    )
    expect(sent).toBeLessThan(total)
    let received = 0
    socket.on("data", (chunk) => (received += chunk.length)).resume()
    await vi.waitFor(() => expect(received).toBeGreaterThanOrEqual(total), 20_000)
  })
})

it("every operation is forwarded with its own method and token", async () => {
  const upstream = await startUpstream(answerJson)
  const proxy = await startTestProxy(upstream.url)
  for (const { method, path } of Object.values(operations)) {
    await send(proxy.url, path.replaceAll(/\{\w+\}/g, "x"), {
      method,
      headers: MUTATION,
      body: method === "POST" ? "{}" : "",
    })
  }
  expect(upstream.heard.map(({ headers }) => headers.authorization)).toEqual(
    Array.from({ length: 13 }, () => `Bearer ${CANARY}`),
  )
})
