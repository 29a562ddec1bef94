import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { CANARY, send, startTestProxy } from "../testing/desk.ts"
import { reply, startUpstream } from "../testing/upstreams.ts"
import { TIMEOUTS } from "./upstream.ts"

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

  it("a client that reads nothing is cut off, and the upstream's connection ends", async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { "Content-Type": "application/octet-stream" })
      const pour = (): unknown =>
        response.write(Buffer.alloc(65_536)) ? setImmediate(pour) : response.once("drain", pour)
      pour()
    })
    const proxy = await startTestProxy(upstream.url, { timeouts: { ...TIMEOUTS, stalledDownload: 500 } })
    const socket = connect(proxy.port, "127.0.0.1")
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await expect.poll(() => upstream.openStreams()).toBe(1)
    await expect.poll(() => upstream.openStreams(), { timeout: 10_000 }).toBe(0)
    expect(proxy.logged).toHaveLength(1)
    socket.destroy()
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
    const isStill = () => {
      const wasStill = sent === before && sent > 0
      before = sent
      return wasStill
    }
    await expect.poll(isStill, { interval: 200 }).toBe(true)
    expect(sent).toBeLessThan(total)
    let received = 0
    socket.on("data", (chunk) => (received += chunk.length)).resume()
    await expect.poll(() => received).toBeGreaterThanOrEqual(total)
  })
})
