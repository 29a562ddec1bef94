import { createServer as createTlsServer } from "node:https"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { causeOf } from "../platform/cause.ts"
import { localPeople } from "./people/open-people.ts"
import { DeskRecord } from "./record/desk-record.ts"
import { openSqlite, sqliteFileIn } from "./store/sqlite-store.ts"
import { folderForTest } from "./store/testing/stores.ts"
import { MUTATION, problemOf, send, startTestProxy, type TestProxy } from "./testing/desk.ts"
import { startRawUpstream, startUpstream } from "./testing/upstreams.ts"
import { TIMEOUTS } from "./proxy/upstream.ts"

const nothing = () => undefined
const QUIET = { onStored: nothing, onFailed: nothing, onHead: nothing }

const timeouts = { ...TIMEOUTS, headers: 200, json: 400, silentStream: 400 }

/** The log line of the only request. */
async function lineOf(proxy: TestProxy): Promise<Record<string, unknown>> {
  await expect.poll(() => proxy.logged).toHaveLength(1)
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
    const proxy = await startTestProxy(await upstream(), cause === "timeout" ? { timeouts } : {})
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

  it("for a stream that is cut after its beginning", async () => {
    const upstream = await startRawUpstream((socket) => {
      const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      socket.end(`${head}4\r\n: x\n\r\n`)
    })
    const proxy = await startTestProxy(upstream.url)
    await expect(send(proxy.url, "/api/v1/work/w/events")).rejects.toThrow()
    expect(await lineOf(proxy)).toMatchObject({ level: "warn", status: 200, cause: "cut" })
  })

  it("for a mutation and for a probe", async () => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    await send(proxy.url, "/desk/health?upstream")
    proxy.drain()
    await send(proxy.url, "/desk/ready")
    await expect.poll(() => proxy.logged).toHaveLength(3)
    expect(proxy.logged.map((line) => JSON.parse(line) as object)).toMatchObject([
      { status: 502, code: "PROXY_UPSTREAM_UNREACHABLE", cause: "refused", operation: "createWork" },
      { status: 503, code: "PROXY_UPSTREAM_UNHEALTHY", cause: "refused" },
      { status: 503, code: "PROXY_DRAINING", cause: "refused" },
    ])
  })

  it("for a store that is locked, closed, or fails", async () => {
    const dataFolder = await folderForTest()
    const database = await openSqlite(dataFolder)
    const record = new DeskRecord({ ...QUIET, database, mode: "local", access: () => localPeople().access() })
    onTestFinished(() => record.stop())
    const proxy = await startTestProxy((await startUpstream()).url, { database, record })
    const other = new DatabaseSync(sqliteFileIn(dataFolder))
    // The desk writes once at its start.
    await vi.waitFor(() => other.exec("BEGIN EXCLUSIVE"))
    const mutation = await send(proxy.url, "/api/v1/work", { method: "POST", headers: MUTATION, body: "{}" })
    const headers = { "Content-Type": "application/json", "If-Match": '"a"' }
    const views = await send(proxy.url, "/desk/views", { method: "PUT", headers, body: '{"views":[]}' })
    other.close()
    await database.close()
    const fault = await send(proxy.url, "/desk/views")
    expect([mutation.status, views.status, fault.status]).toEqual([503, 503, 500])
    await expect.poll(() => proxy.logged).toHaveLength(4)
    expect(proxy.logged.map((line) => JSON.parse(line) as object)).toMatchObject([
      { status: 503, code: "PROXY_RECORD_UNAVAILABLE", cause: "timeout" },
      { status: 503, code: "PROXY_STORE_UNAVAILABLE", cause: "timeout" },
      { level: "error", message: "the desk failed to handle a request", request_id: problemOf(fault).request_id },
      { status: 500, code: "PROXY_INTERNAL", cause: "fault", request_id: problemOf(fault).request_id },
    ])
  })

  it("for a read of the watcher, with the id of its Problem", async () => {
    const proxy = await startTestProxy((await startRawUpstream((socket) => socket.resetAndDestroy())).url)
    const context = await send(proxy.url, "/desk/context?work=w&approval=a")
    expect(context.status).toBe(502)
    const { request_id } = problemOf(context)
    await expect.poll(() => proxy.logged.join("\n")).toContain("/desk/context")
    const lines = proxy.logged.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines).toContainEqual(
      expect.objectContaining({ request_id, operation: "listWorkApprovals", status: 502, cause: "cut" }),
    )
    expect(lines).toContainEqual(expect.objectContaining({ route: "/desk/context", status: 502, cause: "cut" }))
  })

  it("with the id of the upstream's Problem", async () => {
    const upstream = await startUpstream((_, response) => {
      const problem = { type: "t", title: "t", status: 503, detail: "d", instance: "i", code: "C", retryable: true }
      response.writeHead(503, { "Content-Type": "application/problem+json" })
      response.end(JSON.stringify({ ...problem, request_id: "upstream-7" }))
    })
    const proxy = await startTestProxy(upstream.url)
    const reply = await send(proxy.url, "/api/v1/work")
    expect(problemOf(reply).request_id).toBe("upstream-7")
    const line = await lineOf(proxy)
    expect(line).toMatchObject({ status: 503, cause: "refused", upstream_request_id: "upstream-7" })
    expect(line["request_id"]).not.toBe("upstream-7")
  })

  it.each([
    ["ERR_TLS_CERT_ALTNAME_INVALID", "certificate"],
    ["CERT_HAS_EXPIRED", "certificate"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "certificate"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "certificate"],
    ["EAI_AGAIN", "dns"],
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["UND_ERR_HEADERS_TIMEOUT", "timeout"],
    ["ETIMEDOUT", "timeout"],
    ["EPIPE", "cut"],
    ["SOMETHING_NEW", "cut"],
  ])("%s is %s", (code, cause) => {
    expect(causeOf(Object.assign(new Error("x"), { code }))).toBe(cause)
  })
})
