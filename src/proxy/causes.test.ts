import { createServer as createTlsServer } from "node:https"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { causeOf } from "./causes.ts"
import { problemOf, send, startRawUpstream, startTestProxy, startUpstream, type TestProxy } from "./testing.ts"
import { TIMEOUTS } from "./upstream.ts"

const timeouts = { ...TIMEOUTS, headers: 200, json: 400, silentStream: 400 }

/** The log line of the only request. */
async function lineOf(proxy: TestProxy): Promise<Record<string, unknown>> {
  await vi.waitFor(() => expect(proxy.logged).toHaveLength(1))
  return JSON.parse(proxy.logged[0] ?? "") as Record<string, unknown>
}

/** An https address with a certificate that nobody signed. */
async function startUntrusted(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "workdesk-tls-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
  const subject = ["-subj", "/CN=localhost", "-days", "1", "-nodes", "-keyout", key, "-out", cert]
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", ...subject], {
    stdio: "ignore",
  })
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  onTestFinished(() => void server.close())
  const address = server.address()
  return `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}

const saying = async (text: string) => (await startRawUpstream((socket) => void socket.end(text))).url

describe("a 5xx has its cause in the log", () => {
  const cases: [cause: string, status: number, upstream: () => Promise<string>][] = [
    ["refused", 502, () => Promise.resolve("http://127.0.0.1:1")],
    ["dns", 502, () => Promise.resolve("http://nothing.invalid")],
    ["certificate", 502, startUntrusted],
    ["timeout", 504, async () => (await startRawUpstream(() => undefined)).url],
    ["cut", 502, async () => (await startRawUpstream((socket) => socket.resetAndDestroy())).url],
    ["cut", 502, () => saying("")],
    ["cut", 502, () => saying("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")],
    ["not_the_operation", 502, () => saying("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>")],
    ["not_the_operation", 502, () => saying("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n")],
    ["not_the_operation", 502, () => saying("SSH-2.0-OpenSSH_9.2\r\n")],
  ]
  it.each(cases)("%s (%i)", async (cause, status, upstream) => {
    const proxy = await startTestProxy(await upstream(), { timeouts })
    const reply = await send(proxy.url, "/api/v1/work")
    expect(reply.status).toBe(status)
    expect(await lineOf(proxy)).toMatchObject({
      level: "error",
      status,
      cause,
      request_id: problemOf(reply).request_id,
      operation: "listWork",
    })
  })

  it("of a stream that is cut after its beginning, too", async () => {
    const upstream = await startRawUpstream((socket) => {
      const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      socket.end(`${head}4\r\n: x\n\r\n`)
    })
    const proxy = await startTestProxy(upstream.url)
    await expect(send(proxy.url, "/api/v1/work/w/events")).rejects.toThrow()
    expect(await lineOf(proxy)).toMatchObject({ level: "warn", status: 200, cause: "cut" })
  })

  it("names the id of the upstream's own Problem", async () => {
    const upstream = await startUpstream((_, response) => {
      const problem = { type: "t", title: "t", status: 503, detail: "d", instance: "i", code: "C", retryable: true }
      response.writeHead(503, { "Content-Type": "application/problem+json" })
      response.end(JSON.stringify({ ...problem, request_id: "upstream-7" }))
    })
    const proxy = await startTestProxy(upstream.url)
    const reply = await send(proxy.url, "/api/v1/work")
    expect(problemOf(reply).request_id).toBe("upstream-7")
    const line = await lineOf(proxy)
    expect(line).toMatchObject({ status: 503, cause: "upstream_problem", upstream_request_id: "upstream-7" })
    expect(line["request_id"]).not.toBe("upstream-7")
  })

  it.each([
    ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate"],
    ["CERT_HAS_EXPIRED", "certificate"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "certificate"],
    ["EAI_AGAIN", "dns"],
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["ETIMEDOUT", "timeout"],
    ["EPIPE", "cut"],
    ["SOMETHING_NEW", "cut"],
  ])("%s is %s", (code, cause) => {
    expect(causeOf(Object.assign(new Error("x"), { code }))).toBe(cause)
  })
})
