import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { operations } from "../../contract/operations.ts"
import { CANARY, MUTATION, problemOf, send, sendRaw, startTestProxy } from "../testing/desk.ts"
import { answerJson, reply, startUpstream, type Answering } from "../testing/upstreams.ts"

describe("requests to the upstream", () => {
  it("the path begins with the path of the base address", async () => {
    const upstream = await startUpstream()
    const proxy = await startTestProxy(`${upstream.url}/some/base`)
    await send(proxy.url, "/api/v1/work?limit=1")
    expect(upstream.heard.map(({ url }) => url)).toEqual(["/some/base/api/v1/work?limit=1"])
  })
})

describe("request bodies", () => {
  const path = "/api/v1/uploads"
  const accepts: Answering = reply(201, "application/json", "{}")

  it.each([2, 1_048_576])("%i bytes pass unchanged", async (length) => {
    const upstream = await startUpstream(accepts)
    const proxy = await startTestProxy(upstream.url)
    const body = `{${" ".repeat(length - 2)}}`
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
    "an endless body is cut off early (%s)",
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
      await expect.poll(() => isClosed).toBe(true)
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
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0)
    socket.resetAndDestroy()
    await expect.poll(() => proxy.logged).toHaveLength(1)
    expect(upstream.heard).toEqual([])
    expect((await send(proxy.url, path, { method: "POST", headers: MUTATION, body: "{}" })).status).toBe(201)
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

it("the log says that the token may lack a scope when the service answers 403", async () => {
  const [title, detail, instance] = ["Forbidden", "The credential lacks a scope", "/api/v1/work"]
  const about = { type: "about:blank", title, status: 403, detail, instance, code: "SCOPE_MISSING" }
  const problem = JSON.stringify({ ...about, request_id: "req_1", retryable: false })
  const upstream = await startUpstream((_, response) => {
    response.writeHead(403, { "Content-Type": "application/problem+json" }).end(problem)
  })
  const proxy = await startTestProxy(upstream.url)
  expect((await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })).status).toBe(403)
  await expect.poll(() => proxy.logged.filter((line) => line.includes("may lack its scope"))).toHaveLength(1)
  expect(proxy.logged.join("\n")).toMatch(/"level":"warn".*"operation":"createWork".*"status":403/)
})
