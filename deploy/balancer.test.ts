import { createServer } from "node:http"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { connect as connectTls } from "node:tls"
import { describe, expect, it, onTestFinished } from "vitest"
import { Agent, request } from "undici"
import { freePort } from "../src/desk/store/testing/free-port.ts"
import { startBalancer } from "./testing/balancer.ts"
import { findMissing } from "./testing/programs.ts"

const missing = findMissing({ nginx: "nginx-light", haproxy: "haproxy", openssl: "openssl" })

/** A server in a desk's place that has one file below /assets/, and remembers the `X-Forwarded-For` of the requests. */
async function startDeskWith(file: string) {
  const forwarded: (string | string[] | undefined)[] = []
  const server = createServer(({ url, headers }, response) => {
    forwarded.push(headers["x-forwarded-for"])
    const isThere = url === file || url === "/desk/ready"
    response.writeHead(isThere ? 200 : 404, { "Content-Type": "text/plain" }).end(url)
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, forwarded }
}

describe.skipIf(missing.length > 0).each(["nginx", "haproxy"] as const)("deploy's configuration of %s", (program) => {
  it("asks the other desk for a file that one does not have, and tells the desks the client's address alone", async () => {
    const [older, newer] = [await startDeskWith("/assets/older.js"), await startDeskWith("/assets/newer.js")]
    const balancer = await startBalancer({ program, desks: [older.port, newer.port], port: await freePort() })
    const dispatcher = new Agent({ connect: { ca: balancer.certificate } })
    onTestFinished(async () => {
      await dispatcher.destroy()
      await balancer.stop()
    })
    const statusOf = async (path: string) => {
      const headers = { "x-forwarded-for": "198.51.100.1" }
      const { statusCode, body } = await request(balancer.url + path, { dispatcher, headers })
      await body.dump()
      return statusCode
    }
    // HAProxy begins to use a desk after its first health check.
    await expect.poll(() => statusOf("/assets/older.js"), { timeout: 10_000 }).toBe(200)
    for (let count = 0; count < 10; count++) {
      expect([await statusOf("/assets/older.js"), await statusOf("/assets/newer.js")]).toEqual([200, 200])
    }
    expect([await statusOf("/assets/nothing.js"), await statusOf("/work/older.js")]).toEqual([404, 404])
    const told = [...older.forwarded, ...newer.forwarded].filter((value) => value !== undefined)
    expect(new Set(told)).toEqual(new Set(["127.0.0.1"]))
  }, 60_000)
})

/** A connection with TLS, and what the balancer has said on it. `closed` resolves when the balancer ends it. */
async function connectTo(url: string, certificate: string) {
  const socket = connectTls({
    host: "127.0.0.1",
    servername: "localhost",
    port: Number(new URL(url).port),
    ca: certificate,
  })
  onTestFinished(() => void socket.destroy())
  const said = { text: "" }
  socket.on("data", (chunk: Buffer) => (said.text += chunk.toString()))
  const closed = new Promise<void>((resolve) => void socket.on("close", () => resolve()))
  socket.on("error", () => undefined)
  return { socket, said, closed }
}

const LIMITS = {
  nginx: [{ "client_header_timeout 15s": "client_header_timeout 1s" }, { "clients 1024": "clients 2" }],
  haproxy: [{ "http-request 15s": "http-request 1s" }, { "gt 1024": "gt 2" }],
} as const

describe.skipIf(missing.length > 0).each(["nginx", "haproxy"] as const)("deploy's configuration of %s", (program) => {
  const [slow, many] = LIMITS[program]

  it("ends a connection whose request does not come", async () => {
    const desk = await startDeskWith("/work")
    const balancer = await startBalancer({
      program,
      desks: [desk.port, desk.port],
      port: await freePort(),
      replaced: slow,
    })
    onTestFinished(() => balancer.stop())
    const { socket, closed } = await connectTo(balancer.url, balancer.certificate)
    socket.write("G")
    await closed
  }, 60_000)

  it("limits what one client address has open", async () => {
    let held = 0
    const server = createServer(({ url }, response) => {
      if (url === "/held") held++
      else response.end()
    })
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const balancer = await startBalancer({ program, desks: [port, port], port: await freePort(), replaced: many })
    onTestFinished(async () => {
      await balancer.stop()
      server.closeAllConnections()
      server.close()
    })
    const ask = async () => {
      const connection = await connectTo(balancer.url, balancer.certificate)
      connection.socket.write("GET /held HTTP/1.1\r\nHost: localhost\r\n\r\n")
      return connection
    }
    // HAProxy begins to use a desk after its first health check.
    await expect
      .poll(
        async () => {
          await ask()
          return held
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(2)
    const last = await ask()
    if (program === "nginx") await expect.poll(() => last.said.text, { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 429 /)
    else await last.closed
    expect(held).toBe(2)
  }, 60_000)
})

describe.skipIf(missing.length > 0)("deploy/nginx.conf", () => {
  it.each([
    ["asks the other desk", "/api/v1/work", [200]],
    ["asks the other desk", "/desk/presence", [200]],
    ["asks the other desk", "/desk/session/touch", [200]],
    ["asks no other desk", "/desk/sign-out/back", [200, 502]],
    ["asks no other desk", "/desk/push/1/test", [200, 502]],
  ])(
    "%s when one ends without an answer: POST %s",
    async (_, path, expected) => {
      const ending = createTcpServer((socket) => void socket.once("data", () => socket.destroy()))
      await new Promise<void>((resolve) => void ending.listen(0, "127.0.0.1", resolve))
      const { port: endingPort } = ending.address() as AddressInfo
      const serving = await startDeskWith(path)
      const balancer = await startBalancer({
        program: "nginx",
        desks: [endingPort, serving.port],
        port: await freePort(),
      })
      const dispatcher = new Agent({ connect: { ca: balancer.certificate } })
      onTestFinished(async () => {
        await dispatcher.destroy()
        await balancer.stop()
        ending.close()
      })
      const statuses = new Set<number>()
      for (let count = 0; count < 20; count++) {
        const { statusCode, body } = await request(balancer.url + path, { dispatcher, method: "POST", body: "{}" })
        await body.dump()
        statuses.add(statusCode)
      }
      expect([...statuses].sort((one, other) => one - other)).toEqual(expected)
    },
    60_000,
  )
})
