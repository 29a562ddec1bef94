import { connect } from "node:net"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { send, sendRaw, startTestProxy } from "./testing/desk.ts"
import { startUpstream } from "./testing/upstreams.ts"

const GET = "GET /api/v1/work HTTP/1.1\r\nHost: localhost\r\n"

describe("input that is not a request, or a strange request", () => {
  it.each([
    ["garbage", "\0\0\0\r\n\r\n", 400],
    ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["an unknown method", "EVIL / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["an unknown version", "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400],
    ["a space in the target", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["a folded header", `${GET}X: a\r\n b\r\n\r\n`, 400],
    ["a header without a name", `${GET}: a\r\n\r\n`, 400],
    ["a bare CR in a header", `${GET}X: a\rb\r\n\r\n`, 400],
    ["a NUL in a header", `${GET}X: a\0b\r\n\r\n`, 400],
    [
      "two lengths",
      "POST /api/v1/work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      400,
    ],
    [
      "a length and chunks",
      "POST /api/v1/work HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "an unknown coding",
      "POST /api/v1/work HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
      400,
    ],
    [
      "a bad chunk",
      "POST /api/v1/work HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
    ],
    ["a negative length", "POST /api/v1/work HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400],
    ["too much in the head", `${GET}X: ${"x".repeat(100_000)}\r\n\r\n`, 431],
    ["a very long target", `GET /${"x".repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
    ["CONNECT", "CONNECT evil.test:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["CONNECT to a path", "CONNECT /api/v1/work HTTP/1.1\r\nHost: localhost\r\n\r\n", 400],
    ["an upgrade", `${GET}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`, 200],
    [
      "an upgrade to HTTP/2",
      `${GET}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n`,
      200,
    ],
    ["an expectation nobody knows", `${GET}Connection: close\r\nExpect: the-unexpected\r\n\r\n`, 200],
    ["a body with a GET", `${GET}Connection: close\r\nContent-Length: 5\r\n\r\nhello`, 200],
    ["TRACE", "TRACE /api/v1/work HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: find-me\r\n\r\n", 405],
    ["no path", "GET ? HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 400],
    ["a hundred headers", `${GET}Connection: close\r\n${"X: y\r\n".repeat(100)}\r\n`, 200],
  ])("%s", async (_, bytes, status) => {
    const proxy = await startTestProxy((await startUpstream()).url)
    const received = await sendRaw(proxy.port, Buffer.from(bytes, "latin1"))
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    if (status === 400 || status === 431) {
      expect(received).toMatch(/X-Content-Type-Options: nosniff\r\n.*"code":"PROXY_\w+"/s)
      expect(received).toMatch(/Connection: close/i)
    }
    expect(received).not.toContain("find-me")
    expect((await send(proxy.url, "/api/v1/work")).status).toBe(200)
  })

  const NAVIGATION = `GET /work HTTP/1.1\r\nHost: localhost\r\nAccept: text/html,*/*;q=0.8\r\n`
  const COOKIES = "Cookie: "

  it.each([
    ["17 kB of cookies", NAVIGATION + COOKIES + "a".repeat(17_000)],
    ["100 kB of cookies", NAVIGATION + COOKIES + "a".repeat(100_000)],
    ["a long address", NAVIGATION.replace("/work", `/work?q=${"a".repeat(17_000)}`)],
  ])("%s get a browser a page in plain words", async (_, head) => {
    const proxy = await startTestProxy((await startUpstream()).url)
    const received = await sendRaw(proxy.port, `${head}\r\n\r\n`)
    expect(received).toMatch(/^HTTP\/1\.1 431 /)
    expect(received).toMatch(/content-type: text\/html/i)
    expect(received).toMatch(/content-security-policy: [^\r\n]*default-src 'none'/i)
    expect(received).toMatch(/connection: close/i)
    expect(received).toContain("Delete the cookies of this site")
    expect(received).not.toMatch(/<script|"code"|aaaa/)
  })

  it("too many cookies that arrive in two parts get a browser the page too", async () => {
    const proxy = await startTestProxy((await startUpstream()).url)
    const socket = connect(proxy.port, "127.0.0.1")
    socket.write(NAVIGATION)
    // The desk has read the first part when it answers a request that was sent later.
    await send(proxy.url, "/desk/health")
    socket.write(`${COOKIES}${"a".repeat(17_000)}\r\n\r\n`)
    let received = ""
    for await (const chunk of socket) received += String(chunk)
    expect(received).toMatch(/^HTTP\/1\.1 431 .*Delete the cookies of this site/s)
  })

  it.each([17_000, 100_000])("%d bytes of cookies get a program the Problem", async (bytes) => {
    const proxy = await startTestProxy((await startUpstream()).url)
    const received = await sendRaw(proxy.port, `${GET}Accept: */*\r\n${COOKIES}${"a".repeat(bytes)}\r\n\r\n`)
    expect(received).toMatch(/^HTTP\/1\.1 431 .*application\/problem\+json.*"code":"PROXY_HEADERS_TOO_LARGE"/s)
  })

  it("a smuggled second request is not served", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    const inner = "GET /api/v1/work/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
    await sendRaw(proxy.port, `${GET}Content-Length: ${inner.length}\r\nConnection: close\r\n\r\n${inner}`)
    expect(upstream.heard.map(({ url }) => url)).toEqual(["/api/v1/work"])
  })

  it("pipelined requests are answered in order, also with garbage after them", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    const received = await sendRaw(
      proxy.port,
      `${GET}\r\nGET /desk/health HTTP/1.1\r\nHost: localhost\r\n\r\n\0garbage\r\n\r\n`,
    )
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"])
    expect(received).toMatch(/\{"data":\[\]\}.*ok$/s)
    expect(upstream.heard).toHaveLength(1)
    expect((await send(proxy.url, "/api/v1/work")).status).toBe(200)
  })

  it("an idle connection is kept longer than a balancer keeps it", async () => {
    const proxy = await startTestProxy((await startUpstream()).url)
    const reply = await fetch(`${proxy.url}/desk/health`)
    const [, seconds = "0"] = /timeout=(\d+)/.exec(reply.headers.get("keep-alive") ?? "") ?? []
    expect(Number(seconds)).toBeGreaterThanOrEqual(65)
    expect(proxy.server.headersTimeout).toBeGreaterThan(proxy.server.keepAliveTimeout)
  })

  it("hundreds of clients that break off at any byte do not harm the proxy", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(upstream.url)
    const whole = `POST /api/v1/work HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"objective":"none"}`
    await Promise.all(
      Array.from({ length: 300 }, (_, index) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const socket = connect(proxy.port, "127.0.0.1", () => {
          socket.write(whole.slice(0, index % whole.length), () =>
            index % 2 === 0 ? socket.resetAndDestroy() : socket.destroy(),
          )
        })
        socket.on("error", () => undefined).on("close", () => resolve())
        return promise
      }),
    )
    expect(upstream.heard).toEqual([])
    expect((await send(proxy.url, "/api/v1/work")).status).toBe(200)
    await expect.poll(() => promisify(proxy.server.getConnections.bind(proxy.server))()).toBe(0)
  })
})
