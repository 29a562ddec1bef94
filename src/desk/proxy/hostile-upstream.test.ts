import { connect } from "node:net"
import { describe, expect, it, vi } from "vitest"
import { CANARY, MUTATION, problemOf, send, startTestProxy } from "../testing/desk.ts"
import { startRawUpstream, startUpstream } from "../testing/upstreams.ts"
import { TIMEOUTS } from "./upstream.ts"

const PROBLEM =
  '{"type":"t","title":"t","status":400,"detail":"d","instance":"i","code":"C","request_id":"r","retryable":false}'

const answer = (head: string, body = "") =>
  `HTTP/1.1 ${head}\r\n${body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`
const json = (body: string, status = "200 OK") => answer(`${status}\r\nContent-Type: application/json`, body)
const problem = (body: string, status = "400 Bad Request") =>
  answer(`${status}\r\nContent-Type: application/problem+json`, body)

const OPERATIONS: [string, string, string][] = [
  ["a read", "GET", "/api/v1/work"],
  ["a mutation", "POST", "/api/v1/work"],
  ["a stream", "GET", "/api/v1/work/w/events?after=0"],
  ["a download", "GET", "/api/v1/work/w/artifacts/a/content"],
]

const ask = (url: string, method: string, path: string) =>
  send(url, path, { method, headers: MUTATION, body: method === "POST" ? "{}" : "" })

describe("an answer that is not the operation's own becomes a 502 Problem, and nothing of it is passed on", () => {
  const answers: [string, string][] = [
    ...[301, 302, 303, 307, 308].map((status): [string, string] => [
      `redirect ${status}`,
      answer(`${status} Moved\r\nLocation: http://evil.test/${CANARY}\r\nContent-Type: application/json`, '{"MARK":1}'),
    ]),
    ["204", "HTTP/1.1 204 No Content\r\nX-MARK: 1\r\n\r\n"],
    ["205", answer("205 Reset\r\nContent-Type: application/json", '{"MARK":1}')],
    ["206", answer("206 Partial\r\nContent-Type: application/octet-stream", "MARK")],
    ["300", answer("300 Choices\r\nContent-Type: application/json", '{"MARK":1}')],
    ["304", "HTTP/1.1 304 Not Modified\r\nETag: MARK\r\n\r\n"],
    ["another success than the operation's", json('{"MARK":1}', "203 Other")],
    ["HTML", answer("200 OK\r\nContent-Type: text/html", "<html>MARK")],
    ["an HTML error", answer("502 Bad\r\nContent-Type: text/html", "<html>MARK")],
    ["an error without a type", answer("500 Bad", "MARK")],
    ["a success without a type", answer("200 OK", '{"MARK":1}')],
    ["an error as plain JSON", json(PROBLEM.replace('"d"', '"MARK"'), "400 Bad")],
    ["an error with another's content", answer("400 Bad\r\nContent-Type: application/octet-stream", "MARK")],
    ["a Problem without code", problem('{"type":"MARK","title":"t","status":400}')],
    ["a Problem with a wrong member", problem(PROBLEM.replace("false", '"MARK"'))],
    ["a Problem that is a list", problem(`[${PROBLEM}]`)],
    ["a Problem that is garbage", problem("MARK")],
    ["a Problem that is empty", problem("")],
    ["a Problem as a success", problem(PROBLEM, "200 OK")],
    ["JSON that is garbage", json("{MARK")],
    ["JSON that is a list", json('["MARK"]')],
    ["JSON that is text", json('"MARK"')],
    ["JSON that is null", json("null")],
    ["JSON that is empty", answer("200 OK\r\nContent-Type: application/json\r\nContent-Length: 0")],
    ["JSON with something behind", json('{"MARK":1}{}')],
    [
      "JSON that is no UTF-8",
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":"\xff"}`,
    ],
    ["JSON in deep brackets", json("[".repeat(100_000))],
    ["an encoded body", answer("200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip", '{"MARK":1}')],
    ["an encoded error", answer("400 Bad\r\nContent-Type: application/problem+json\r\nContent-Encoding: br", PROBLEM)],
    ["an encoded stream", answer("200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip", "MARK")],
    [
      "an encoded transfer",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ],
    ["a cut body", 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"MARK":1}'],
    [
      "a cut chunk",
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"MARK":1}',
    ],
    ["a cut head", "HTTP/1.1 200 OK\r\nContent-Type: app"],
    [
      "two lengths",
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 10\r\n\r\n{"MARK":1}',
    ],
    [
      "length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ],
    ["huge headers", `HTTP/1.1 200 OK\r\nX-MARK: ${"x".repeat(300_000)}\r\nContent-Type: application/json\r\n\r\n{}`],
    ["endless headers", `HTTP/1.1 200 OK\r\n${"X-MARK: y\r\n".repeat(20_000)}`],
    [
      "a header with control characters",
      "HTTP/1.1 200 OK\r\nX-MARK: a\0b\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    ],
    ["no HTTP", "MARK MARK MARK\r\n\r\n"],
    ["a TLS record", "\x16\x03\x01\x02\x00\x01\x00MARK"],
    ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nMARK"],
    ["100 Continue for nothing", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["nothing", ""],
  ]

  it.each(answers)("%s", async (name, bytes) => {
    const upstream = await startRawUpstream((socket) => socket.end(Buffer.from(bytes, "latin1")))
    const proxy = await startTestProxy(upstream.url)
    for (const [what, method, path] of OPERATIONS) {
      const reply = await ask(proxy.url, method, path)
      expect([reply.status, problemOf(reply).code.startsWith("PROXY_UPSTREAM_")], `${what}: ${name}`).toEqual([
        502,
        true,
      ])
      expect(`${reply.rawHeaders.join("\n")}${reply.text}${proxy.logged.join("\n")}`).not.toMatch(
        /MARK|evil\.test|canary/,
      )
      expect(reply.headers.location).toBeUndefined()
    }
  })

  it("each kind of answer belongs to its own operation", async () => {
    const types = ["application/json", "text/event-stream", "application/octet-stream"]
    const own = ["application/json", "application/json", "text/event-stream", "application/octet-stream"]
    for (const type of types) {
      const upstream = await startRawUpstream((socket) =>
        socket.end(answer(`200 OK\r\nContent-Type: ${type}`, '{"MARK":1}')),
      )
      const proxy = await startTestProxy(upstream.url)
      const statuses = await Promise.all(
        OPERATIONS.map(async ([, method, path]) => (await ask(proxy.url, method, path)).status),
      )
      expect(statuses, type).toEqual(own.map((expected) => (expected === type ? 200 : 502)))
    }
  })

  it("an endless JSON answer is ended, and the next request works", async () => {
    let hits = 0
    let sent = 0
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" })
      if (hits++ > 0) return void response.end("{}")
      const piece = `"${"x".repeat(1_048_576)}",`
      const pour = () => {
        while (!response.destroyed && response.write(piece)) sent += piece.length
      }
      response.write('{"data":[')
      response.on("drain", pour)
      pour()
    })
    const proxy = await startTestProxy(upstream.url)
    expect((await send(proxy.url, "/api/v1/work?limit=1")).status).toBe(502)
    expect(sent).toBeLessThan(128 * 1_048_576)
    expect((await send(proxy.url, "/api/v1/work")).status).toBe(200)
  })

  it("1xx answers before the answer are ignored", async () => {
    const upstream = await startRawUpstream((socket) =>
      socket.end(`HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${json("{}")}`),
    )
    const proxy = await startTestProxy(upstream.url)
    expect((await send(proxy.url, "/api/v1/work")).text).toBe("{}")
  })
})

describe("an error's body", () => {
  const head = `HTTP/1.1 400 Bad\r\nContent-Type: application/problem+json\r\n\r\n${PROBLEM.slice(0, -1)}`

  it("of 32 MB is refused before it has come to its end", async () => {
    let sent = 0
    const upstream = await startRawUpstream((socket) => {
      socket.write(`${head},"more":[`)
      const piece = '{"a":1},'.repeat(8_000)
      const pour = () => {
        while (!socket.destroyed && sent < 32_000_000 && socket.write(piece)) sent += piece.length
      }
      socket.on("drain", pour).on("error", () => undefined)
      pour()
    })
    const proxy = await startTestProxy(upstream.url)
    const reply = await send(proxy.url, "/api/v1/work")
    expect([reply.status, problemOf(reply).code]).toEqual([502, "PROXY_UPSTREAM_INVALID"])
    // The buffers of the connection take some megabytes.
    expect(sent).toBeLessThan(16_000_000)
  })

  it("without an end is refused", async () => {
    const upstream = await startRawUpstream((socket) => socket.write(`${head},"more":"${"x".repeat(100_000)}`))
    const proxy = await startTestProxy(upstream.url)
    const reply = await send(proxy.url, "/api/v1/work")
    expect([reply.status, problemOf(reply).code]).toEqual([502, "PROXY_UPSTREAM_INVALID"])
  })

  it("of some kilobytes passes", async () => {
    const body = `${PROBLEM.slice(0, -1)},"more":"${"x".repeat(30_000)}"}`
    const upstream = await startRawUpstream((socket) => socket.end(problem(body)))
    const proxy = await startTestProxy(upstream.url)
    expect((await send(proxy.url, "/api/v1/work")).text).toBe(body)
  })
})

describe("an upstream that cannot be reached, or is late", () => {
  const timeouts = { ...TIMEOUTS, headers: 200, json: 400, silentDownload: 1_000, silentStream: 400 }

  it.each(OPERATIONS)("refused: %s is 502", async (_, method, path) => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    const reply = await ask(proxy.url, method, path)
    expect([reply.status, problemOf(reply).code]).toEqual([502, "PROXY_UPSTREAM_UNREACHABLE"])
  })

  it("a name that does not resolve is 502", async () => {
    const proxy = await startTestProxy("http://nothing.invalid:80")
    expect((await send(proxy.url, "/api/v1/work")).status).toBe(502)
  })

  it.each(OPERATIONS)("reset: %s is 502, and the next request works", async (_, method, path) => {
    let hits = 0
    const upstream = await startRawUpstream((socket) =>
      hits++ === 0 ? socket.resetAndDestroy() : socket.end(problem(PROBLEM)),
    )
    const proxy = await startTestProxy(upstream.url)
    expect((await ask(proxy.url, method, path)).status).toBe(502)
    expect((await ask(proxy.url, method, path)).status).toBe(400)
  })

  it.each(OPERATIONS)(
    "silent before the head: %s is 504, the upstream's request is aborted, and the next request works",
    async (_, method, path) => {
      let hits = 0
      const closed = vi.fn<() => void>()
      const upstream = await startRawUpstream((socket) =>
        hits++ === 0 ? socket.on("close", closed) : socket.end(problem(PROBLEM)),
      )
      const proxy = await startTestProxy(upstream.url, { timeouts })
      const reply = await ask(proxy.url, method, path)
      expect([reply.status, problemOf(reply).code]).toEqual([504, "PROXY_UPSTREAM_TIMEOUT"])
      await expect.poll(() => closed).toHaveBeenCalled()
      expect((await ask(proxy.url, method, path)).status).toBe(400)
    },
  )

  it.each(OPERATIONS)("silent within an error's body: %s is 504", async (_, method, path) => {
    const upstream = await startRawUpstream((socket) =>
      socket.write("HTTP/1.1 400 B\r\nContent-Type: application/problem+json\r\nContent-Length: 500\r\n\r\n{"),
    )
    const proxy = await startTestProxy(upstream.url, { timeouts })
    expect((await ask(proxy.url, method, path)).status).toBe(504)
  })

  it("a JSON answer that trickles is 504", async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "Content-Type": "application/json" })
      const timer = setInterval(() => response.write(" "), 20)
      response.on("close", () => clearInterval(timer))
    })
    const proxy = await startTestProxy(upstream.url, { timeouts })
    expect((await send(proxy.url, "/api/v1/work")).status).toBe(504)
    await expect.poll(() => upstream.openStreams()).toBe(0)
  })

  it("streams and downloads that go on outlive every limit", async () => {
    const upstream = await startUpstream((heard, response) => {
      response.writeHead(200, {
        "Content-Type": heard.url.includes("events") ? "text/event-stream" : "application/octet-stream",
      })
      let count = 0
      const timer = setInterval(() => {
        response.write(": x\n")
        if (++count === 20) response.end(() => clearInterval(timer))
      }, 50)
    })
    const proxy = await startTestProxy(upstream.url, { timeouts })
    const replies = await Promise.all(
      ["/api/v1/work/w/events", "/api/v1/work/w/artifacts/a/content"].map((path) => send(proxy.url, path)),
    )
    expect(replies.map(({ text }) => text)).toEqual([": heartbeat\n\n".repeat(20), ": x\n".repeat(20)])
  })
})

describe("a download or stream that is cut ends as an error", () => {
  const head = (type: string, framing: string) => `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`
  const cases: [string, string, string][] = [
    [
      "a download of known length",
      "/api/v1/work/w/artifacts/a/content",
      `${head("application/octet-stream", "Content-Length: 1000")}half`,
    ],
    [
      "a download in chunks",
      "/api/v1/work/w/artifacts/a/content",
      `${head("application/octet-stream", "Transfer-Encoding: chunked")}4\r\nhalf\r\n`,
    ],
    [
      "a stream",
      "/api/v1/work/w/events",
      `${head("text/event-stream", "Transfer-Encoding: chunked")}a\r\ndata: half\r\n`,
    ],
  ]

  it.each(cases)("%s", async (_, path, bytes) => {
    const upstream = await startRawUpstream((socket) =>
      socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 50)),
    )
    const proxy = await startTestProxy(upstream.url)
    await expect(send(proxy.url, path)).rejects.toThrow()
    const overHttp10 = connect(proxy.port, "127.0.0.1")
    const failed = vi.fn<() => void>()
    overHttp10.on("error", failed).resume()
    overHttp10.write(`GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n`)
    await expect.poll(() => failed).toHaveBeenCalled()
  })

  it("a download that becomes silent is cut too", async () => {
    const [, [, path, bytes] = ["", "", ""]] = cases
    const upstream = await startRawUpstream((socket) => socket.write(bytes))
    const proxy = await startTestProxy(upstream.url, { timeouts: { ...TIMEOUTS, silentDownload: 500 } })
    await expect(send(proxy.url, path)).rejects.toThrow()
  })
})
