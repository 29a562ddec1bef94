import { once } from "node:events"
import { connect } from "node:net"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { EVENTS_PATH, opened, range, read, Reader, startEvents } from "../testing/events.ts"
import { startTestProxy } from "../testing/desk.ts"
import { startUpstream } from "../testing/upstreams.ts"
import { TIMEOUTS } from "./upstream.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** The bytes that this process uses, without garbage. */
function usedMemory(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe("a stream", () => {
  it("opens before the first event, and forbids intermediaries to buffer or compress it", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url, "?after=0", { "Accept-Encoding": "gzip, br" })
    await opened(reader)
    expect(reader.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "transfer-encoding": "chunked",
    })
    expect(reader.headers).not.toHaveProperty("content-encoding")
  })

  it("passes heartbeats and events at once, and of an event nothing but id, type and data", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const [one, other] = [read(proxy.url), read(proxy.url)]
    await opened(one, other)
    const parts = [
      [": any comment\n", ": heartbeat\n\n"],
      ["\n", ": heartbeat\n\n"],
      ["event: x\ndata: no id\n\n", "event: x\ndata: no id\n\n"],
      ["id: 1\r\nunknown: y\r\ndata: a\r\ndata: b\r\n\r\n", "id: 1\nevent: message\ndata: a\ndata: b\n\n"],
      ["id: 2\n: within\ndata: c\n\n", ": heartbeat\n\nid: 2\nevent: message\ndata: c\n\n"],
      ["retry: 0\n\n", ": heartbeat\n\n"],
    ] as const
    let expected = ""
    for (const [sent, relayed] of parts) {
      upstream.write(sent)
      expected += relayed
      await expect.poll(() => [one.text, other.text]).toEqual([expected, expected])
    }
    expect(upstream.heard).toHaveLength(1)
  })

  it("passes every byte of an event when the upstream writes byte by byte", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url)
    await opened(reader)
    const bytes = Buffer.from('id: 1\r\nevent: é\r\ndata: {"😀":"\u202e"}\r\n\r\n')
    for (const byte of bytes) {
      for (const response of upstream.readers) response.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    const written = () => Buffer.from(reader.text.replaceAll(": heartbeat\n\n", ""), "latin1").toString()
    await expect.poll(written).toBe('id: 1\nevent: é\ndata: {"😀":"\u202e"}\n\n')
  })

  it("passes the viewer's position as after, as Last-Event-ID, or not at all; after wins over Last-Event-ID", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 5; count++) upstream.publish()
    const words: [string, Record<string, string>, string[]][] = [
      ["?after=3", {}, ["4", "5"]],
      ["", { "Last-Event-ID": "4" }, ["5"]],
      ["", {}, range(1, 5)],
      ["?after=2", { "Last-Event-ID": "4" }, ["3", "4", "5"]],
    ]
    for (const [index, [query, headers, expected]] of words.entries()) {
      const reader = new Reader(proxy.url, `/api/v1/work/w${index}/events${query}`, headers)
      await expect.poll(() => reader.sequences).toEqual(expected)
    }
    expect(
      upstream.heard.map(({ url, headers }) => [url.split("/").at(-1), headers["last-event-id"], headers.accept]),
    ).toEqual([
      ["events?after=3", undefined, "text/event-stream"],
      ["events", "4", "text/event-stream"],
      ["events", undefined, "text/event-stream"],
      ["events?after=2", undefined, "text/event-stream"],
    ])
  })

  it("passes one event of 8 MB", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url)
    await opened(reader)
    upstream.publish("x".repeat(8_388_608))
    upstream.publish()
    await expect.poll(() => reader.text.length).toBe(upstream.events.map(({ frame }) => frame).join("").length)
    expect(reader.sequences).toEqual(["1", "2"])
  })
})

describe("a viewer that stops reading", () => {
  it("has some seconds before it is cut off", () => {
    expect(TIMEOUTS.stalledViewer).toBe(10_000)
  })

  it("is cut off at its limit; the others lose nothing, and memory does not grow", { timeout: 60_000 }, async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reading = read(proxy.url)
    await opened(reading)
    const stalled = connect(proxy.port, "127.0.0.1")
    let isCut = false
    stalled.on("error", () => undefined).on("close", () => (isCut = true))
    stalled.write(`GET ${EVENTS_PATH}?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await once(stalled, "data")
    stalled.pause()
    const data = "x".repeat(262_144)
    const before = usedMemory()
    let most = 0
    // 96 MB in all, as fast as the reading viewer takes them.
    for (let id = 1; id <= 384; id++) {
      reading.text = ""
      const frame = `id: ${id}\nevent: x\ndata: ${data}\n\n`
      upstream.write(frame)
      await expect.poll(() => reading.text.length, { interval: 1 }).toBe(frame.length)
      if (id % 16 === 0) most = Math.max(most, usedMemory())
    }
    await expect.poll(() => proxy.logged).toHaveLength(1)
    stalled.resume()
    await expect.poll(() => isCut).toBe(true)
    expect(reading.end).toBeUndefined()
    // Measured: 24 to 50 MB, and 130 MB without the limit.
    expect(most - before).toBeLessThan(64 * 1_048_576)
  })

  it(
    "pauses the upstream when it is the only viewer, and is cut off after some seconds",
    { timeout: 60_000 },
    async () => {
      let sent = 0
      const upstream = await startUpstream((_, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" })
        const frame = (id: number) => `id: ${id}\ndata: ${"x".repeat(65_536)}\n\n`
        const pour = () => {
          while (!response.destroyed && response.write(frame(++sent)));
        }
        response.on("drain", pour)
        pour()
      })
      const proxy = await startTestProxy(upstream.url, { timeouts: { ...TIMEOUTS, stalledViewer: 1_000 } })
      const stalled = connect(proxy.port, "127.0.0.1")
      stalled.on("error", () => undefined).pause()
      stalled.write(`GET ${EVENTS_PATH}?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await expect.poll(() => upstream.openStreams()).toBe(1)
      await expect.poll(() => upstream.openStreams(), { interval: 100 }).toBe(0)
      expect(sent * 65_536).toBeLessThan(64 * 1_048_576)
    },
  )
})
