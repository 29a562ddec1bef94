import { request, type ClientRequest, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { problemOf, send, startTestProxy, startUpstream, type Answering } from "./testing.ts"
import { DEFAULT_LIMITS } from "./config.ts"
import { TIMEOUTS } from "./upstream.ts"

const PATH = "/api/v1/work/w/events"

type Event = { readonly sequence: bigint; readonly frame: string }

/** An upstream with one Work: what was published is sent after the position asked, then what is published from now on. */
async function startEvents(firstSequence = 1n) {
  const events: Event[] = []
  const readers = new Set<ServerResponse>()
  const most = { open: 0 }
  const answer: Answering = (heard, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" })
    response.flushHeaders()
    const asked = new URL(heard.url, "http://x").searchParams.get("after") ?? heard.headers["last-event-id"]
    const after = BigInt(asked?.toString() ?? 0)
    const missed = events.filter(({ sequence }) => sequence > after)
    if (missed.length > 0) response.write(missed.map(({ frame }) => frame).join(""))
    readers.add(response)
    most.open = Math.max(most.open, readers.size)
    response.on("close", () => readers.delete(response))
  }
  const upstream = await startUpstream(answer)
  const write = (text: string) => {
    for (const reader of readers) reader.write(text)
  }
  return {
    ...upstream,
    events,
    readers,
    most,
    write,
    publish(data = "{}") {
      const sequence = firstSequence + BigInt(events.length)
      const frame = `id: ${sequence}\nevent: something.happened\ndata: ${data}\n\n`
      events.push({ sequence, frame })
      write(frame)
    },
  }
}

/** A viewer that remembers what it was sent. */
class Reader {
  text = ""
  status: number | undefined
  headers: Readonly<Record<string, unknown>> = {}
  end: "clean" | "error" | undefined
  readonly #request: ClientRequest

  constructor(url: string, path: string, headers: Record<string, string> = {}) {
    const { hostname, port } = new URL(url)
    this.#request = request({ hostname, port, path, headers, agent: false }, (response) => {
      this.status = response.statusCode
      this.headers = response.headers
      response.on("data", (chunk: Buffer) => (this.text += chunk.toString("latin1")))
      response.on("end", () => (this.end ??= "clean"))
      response.on("error", () => (this.end ??= "error"))
    })
    this.#request.on("error", () => (this.end ??= "error"))
    this.#request.end()
    onTestFinished(() => this.leave())
  }

  leave() {
    this.#request.destroy()
  }

  get sequences(): string[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id = ""]) => id)
  }
}

const read = (url: string, query = "?after=0", headers = {}) => new Reader(url, PATH + query, headers)
const opened = async (...readers: Reader[]) => {
  await vi.waitFor(() => expect(readers.map(({ status }) => status)).toEqual(readers.map(() => 200)), 5_000)
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index))

describe("a stream", () => {
  it("opens at once though nothing happens, and nothing between may hold or pack it", async () => {
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

  it("passes heartbeats, comments, unknown fields and frames without an id as they are, at once", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const [one, other] = [read(proxy.url), read(proxy.url)]
    await opened(one, other)
    const parts = [
      ": heartbeat\n",
      "\n",
      "event: x\ndata: no id\n\n",
      "id: 1\r\nunknown: y\r\n: within\r\ndata: a\r\ndata: b\r\n\r\n",
      "retry: 0\n\n",
      ": heartbeat\n",
    ]
    let sent = ""
    for (const part of parts) {
      upstream.write(part)
      sent += part
      await vi.waitFor(() => expect([one.text, other.text]).toEqual([sent, sent]))
    }
    expect(upstream.heard).toHaveLength(1)
  })

  it("passes every byte when it comes one a write", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url)
    await opened(reader)
    const bytes = Buffer.from('id: 1\r\nevent: é\r\ndata: {"😀":"\u202e"}\r\n\r\n')
    for (const byte of bytes) {
      for (const response of upstream.readers) response.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    await vi.waitFor(() => expect(Buffer.from(reader.text, "latin1").equals(bytes)).toBe(true))
  })

  it("asks the upstream in the viewer's words: after, Last-Event-ID, or neither; after beats Last-Event-ID", async () => {
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
      await vi.waitFor(() => expect(reader.sequences).toEqual(expected))
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
    await vi.waitFor(
      () => expect(reader.text.length).toBe(upstream.events.map(({ frame }) => frame).join("").length),
      10_000,
    )
    expect(reader.sequences).toEqual(["1", "2"])
  })
})

describe("viewers of one Work", () => {
  it("share one upstream stream: twenty at once, and one after another", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const readers = Array.from({ length: 20 }, () => read(proxy.url))
    await opened(...readers)
    upstream.publish()
    for (let count = 0; count < 5; count++) {
      const late = read(proxy.url)
      readers.push(late)
      await opened(late)
      upstream.publish()
    }
    await vi.waitFor(() => expect(readers.map(({ sequences }) => sequences)).toEqual(readers.map(() => range(1, 6))))
    expect(upstream.heard).toHaveLength(1)
  })

  it("share it without a position, too, as long as all since its opening is remembered", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const first = read(proxy.url, "")
    await opened(first)
    upstream.publish()
    await vi.waitFor(() => expect(first.sequences).toEqual(["1"]))
    const second = read(proxy.url, "")
    await vi.waitFor(() => expect(second.sequences).toEqual(["1"]))
    expect(upstream.heard).toHaveLength(1)
  })

  it("get only what comes after their own position, one ahead of the stream too", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 4; count++) upstream.publish()
    const readers = [0, 2, 4, 6, 9].map((after) => read(proxy.url, `?after=${after}`))
    await opened(...readers)
    for (let count = 0; count < 4; count++) upstream.publish()
    await vi.waitFor(() =>
      expect(readers.map(({ sequences }) => sequences)).toEqual([
        range(1, 8),
        range(3, 8),
        range(5, 8),
        range(7, 8),
        [],
      ]),
    )
    await vi.waitFor(() => expect(upstream.readers.size).toBe(1))
  })

  it("keep sequences apart beyond 2^53", async () => {
    const first = 9_223_372_036_854_775_800n
    const upstream = await startEvents(first)
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 6; count++) upstream.publish()
    const readers = [0n, 1n, 2n, 5n].map((back) => read(proxy.url, `?after=${first + back}`))
    await vi.waitFor(() => expect(readers.map(({ sequences }) => sequences.length)).toEqual([5, 4, 3, 0]))
    await opened(...readers)
    upstream.publish()
    await vi.waitFor(() =>
      expect(readers.map(({ sequences }) => sequences.at(-1))).toEqual(readers.map(() => String(first + 6n))),
    )
  })

  it("drop a replay by the upstream", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url)
    await opened(reader)
    for (const id of [1, 2, 2, 1, 3]) upstream.write(`id: ${id}\ndata: x\n\n`)
    await vi.waitFor(() => expect(reader.sequences).toEqual(["1", "2", "3"]))
  })

  it("with an older position than memory reaches catch up by a second stream, which then ends", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 3_000; count++) upstream.publish()
    const live = read(proxy.url, "?after=2990")
    await vi.waitFor(() => expect(live.sequences).toHaveLength(10))
    const late = [0, 5, 1000, 2980].map((after) => read(proxy.url, `?after=${after}`))
    await vi.waitFor(() => expect(late.map(({ sequences }) => sequences.length)).toEqual([3000, 2995, 2000, 20]), 5_000)
    await vi.waitFor(() => expect(upstream.readers.size).toBe(1))
    upstream.publish()
    await vi.waitFor(() =>
      expect([live, ...late].map(({ sequences }) => sequences.at(-1))).toEqual(Array.from({ length: 5 }, () => "3001")),
    )
    expect(late[0]?.sequences).toEqual(range(1, 3001))
    expect(upstream.most.open).toBeLessThanOrEqual(2)
  })

  it("are viewers of one Work however its id is written", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const spellings = ["work", "w%6Frk", "w%6frk", "%77ork", "wor%6B", "%77%6F%72%6B"]
    const readers = spellings.map((id) => new Reader(proxy.url, `/api/v1/work/${id}/events?after=0`))
    await opened(...readers)
    upstream.publish()
    await vi.waitFor(() => expect(readers.map(({ sequences }) => sequences)).toEqual(readers.map(() => ["1"])))
    expect(upstream.heard).toHaveLength(1)
  })

  it("other Works have streams of their own", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const readers = ["a", "b", "a%2Fb"].map((id) => new Reader(proxy.url, `/api/v1/work/${id}/events?after=0`))
    await opened(...readers)
    expect(upstream.readers.size).toBe(3)
  })
})

describe("200 viewers", () => {
  it(
    "join and leave at random positions while 50 events a second flow: each sees every event once and in order",
    { timeout: 60_000 },
    async () => {
      const upstream = await startEvents()
      const proxy = await startTestProxy(upstream.url)
      for (let count = 0; count < 5_000; count++) upstream.publish(`{"count":${count}}`)
      const publishing = setInterval(() => upstream.publish(), 20)
      onTestFinished(() => clearInterval(publishing))
      const present: { reader: Reader; after: number }[] = []
      const gone: { reader: Reader; after: number }[] = []
      let peak = 0
      const join = () => {
        // Many come with the page's start, some come back with a position from before, some without memory of any.
        const last = upstream.events.length
        const after = [0, last, Math.floor(Math.random() * last), last + 3][Math.floor(Math.random() * 4)] ?? 0
        present.push({ reader: read(proxy.url, `?after=${after}`), after })
        peak = Math.max(peak, present.length)
      }
      for (let step = 0; step < 200; step++) {
        join()
        if (step % 10 === 0) await new Promise(setImmediate)
      }
      for (let step = 0; step < 100; step++) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        const [leaving] = present.splice(Math.floor(Math.random() * present.length), 1)
        if (leaving !== undefined) {
          leaving.reader.leave()
          gone.push(leaving)
        }
        join()
      }
      clearInterval(publishing)
      const last = upstream.events.length
      await vi.waitFor(
        () => {
          const behind = present.filter(({ reader, after }) => after < last && reader.sequences.at(-1) !== String(last))
          expect(behind).toHaveLength(0)
        },
        { timeout: 20_000, interval: 500 },
      )
      for (const { reader, after } of present) expect(reader.sequences).toEqual(range(after + 1, last))
      for (const { reader, after } of gone)
        expect(reader.sequences).toEqual(range(after + 1, after + reader.sequences.length))
      expect(peak).toBe(200)
      expect(upstream.most.open).toBeLessThanOrEqual(2)
      await vi.waitFor(() => expect(upstream.readers.size).toBe(1))
      for (const { reader } of present) reader.leave()
      await vi.waitFor(() => expect(upstream.readers.size).toBe(0), 2_000)
    },
  )
})

describe("the end", () => {
  it("comes to the upstream stream within 2 s of the last viewer's leaving, and who comes back before finds it", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const first = read(proxy.url)
    await opened(first)
    upstream.publish()
    await vi.waitFor(() => expect(first.sequences).toEqual(["1"]))
    first.leave()
    const second = read(proxy.url, "?after=1")
    await opened(second)
    expect(upstream.heard).toHaveLength(1)
    second.leave()
    await vi.waitFor(() => expect(upstream.readers.size).toBe(0), 2_000)
  })

  it("a hundred connects and aborts leave none open", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 100; count++) {
      const reader = read(proxy.url)
      if (count % 5 === 0) await opened(reader)
      reader.leave()
    }
    await vi.waitFor(() => expect(upstream.openStreams()).toBe(0), 2_000)
    const { promise, resolve } = Promise.withResolvers<number>()
    proxy.server.getConnections((_, count) => resolve(count))
    expect(await promise).toBe(0)
  })

  it("of the upstream stream is the viewers' end, clean or not as it was", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (const [end, how] of [
      ["clean", (response: ServerResponse) => response.end()],
      ["error", (response: ServerResponse) => response.destroy()],
    ] as const) {
      const readers = [read(proxy.url), read(proxy.url)]
      await opened(...readers)
      for (const response of upstream.readers) how(response)
      await vi.waitFor(() => expect(readers.map((reader) => reader.end)).toEqual([end, end]))
    }
    const again = read(proxy.url)
    await opened(again)
    expect(upstream.heard).toHaveLength(3)
  })

  it("comes when the upstream is silent for three heartbeats, and no sooner while it says anything", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url, { timeouts: { ...TIMEOUTS, silentStream: 400 } })
    const reader = read(proxy.url)
    await opened(reader)
    for (let count = 0; count < 5; count++) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      upstream.write(": heartbeat\n\n")
    }
    expect(reader.end).toBeUndefined()
    await vi.waitFor(() => expect(reader.end).toBe("error"), 2_000)
    expect(upstream.readers.size).toBe(0)
  })
})

describe("a refusal at the opening", () => {
  const body = JSON.stringify({
    type: "t",
    title: "Too many streams",
    status: 429,
    detail: "d",
    instance: "i",
    code: "RATE_LIMITED",
    request_id: "r",
    retryable: true,
  })
  const refuse: Answering = (_, response) => {
    response.writeHead(429, { "Content-Type": "application/problem+json", "Retry-After": "7" })
    response.end(body)
  }

  it("reaches each viewer as the Problem that it is", async () => {
    const upstream = await startUpstream((heard, response) => setTimeout(() => refuse(heard, response), 100))
    const proxy = await startTestProxy(upstream.url)
    const replies = await Promise.all([1, 2, 3, 3].map((after) => send(proxy.url, `${PATH}?after=${after}`)))
    expect(replies.map(({ status, text, headers }) => [status, text, headers["retry-after"]])).toEqual(
      replies.map(() => [429, body, "7"]),
    )
  })

  it("that is ours has each viewer's own request id", async () => {
    const proxy = await startTestProxy("http://127.0.0.1:1")
    const replies = await Promise.all([0, 0, 0].map((after) => send(proxy.url, `${PATH}?after=${after}`)))
    expect(new Set(replies.map((reply) => problemOf(reply).request_id)).size).toBe(3)
  })

  it("of a second stream ends nobody but those who needed it", async () => {
    const events = await startEvents()
    for (let count = 0; count < 20; count++) events.publish()
    const upstream = await startUpstream((heard, response) => {
      if (heard.url.endsWith("after=0")) return refuse(heard, response)
      response.writeHead(200, { "Content-Type": "text/event-stream" })
      return response.write("id: 11\ndata: x\n\n")
    })
    const proxy = await startTestProxy(upstream.url)
    const live = read(proxy.url, "?after=10")
    await opened(live)
    expect((await send(proxy.url, `${PATH}?after=0`)).status).toBe(429)
    expect(live.end).toBeUndefined()
  })
})

describe("the streams to the upstream are bounded", () => {
  const limits = { ...DEFAULT_LIMITS, upstreamStreams: 2 }
  const readWork = (url: string, id: string) => new Reader(url, `/api/v1/work/${id}/events?after=0`)

  it("one more is 429 with a Problem that says why, until one is free", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url, { limits })
    const [one, two, again] = [readWork(proxy.url, "a"), readWork(proxy.url, "b"), readWork(proxy.url, "a")]
    await opened(one, two, again)
    const refused = await send(proxy.url, "/api/v1/work/c/events?after=0")
    expect(refused.status).toBe(429)
    expect(problemOf(refused)).toMatchObject({
      code: "PROXY_STREAMS_BUSY",
      retryable: true,
      detail: expect.stringContaining("2 live streams"),
    })
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
    await vi.waitFor(() => expect(proxy.logged.join("\n")).toContain(problemOf(refused).request_id))
    two.leave()
    await vi.waitFor(() => expect(proxy.logged).toHaveLength(2))
    await opened(readWork(proxy.url, "c"))
    expect(upstream.most.open).toBe(2)
  })

  it("a stream that nobody views makes room at once", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url, { limits, timeouts: { ...TIMEOUTS, unviewedStream: 60_000 } })
    const [one, two] = [readWork(proxy.url, "a"), readWork(proxy.url, "b")]
    await opened(one, two)
    two.leave()
    await vi.waitFor(() => expect(proxy.logged).toHaveLength(1))
    await opened(readWork(proxy.url, "c"))
    expect(upstream.most.open).toBeLessThanOrEqual(3)
  })

  it("a stream that catches up counts", async () => {
    const upstream = await startEvents(BigInt(2) ** 40n)
    const proxy = await startTestProxy(upstream.url, { limits: { ...limits, upstreamStreams: 1 } })
    const live = read(proxy.url, `?after=${2n ** 40n}`)
    await opened(live)
    expect((await send(proxy.url, `${PATH}?after=0`)).status).toBe(429)
    expect(live.end).toBeUndefined()
  })
})

describe("a viewer that stops reading", () => {
  it("is cut off at its bound; the others lose nothing and memory stays flat", { timeout: 60_000 }, async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reading = read(proxy.url)
    await opened(reading)
    const stalled = connect(proxy.port, "127.0.0.1")
    let isCut = false
    stalled.on("error", () => undefined).on("close", () => (isCut = true))
    stalled.pause()
    stalled.write(`GET ${PATH}?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await vi.waitFor(() => expect(proxy.logged).toHaveLength(0))
    const data = "x".repeat(65_536)
    const before = process.memoryUsage().rss
    let most = 0
    // 96 MB in all, as fast as the one who reads takes them.
    for (let count = 0; count < 1_536; count++) {
      upstream.events.length = 0
      const frame = `id: ${count + 1}\ndata: ${data}\n\n`
      upstream.write(frame)
      reading.text = reading.text.slice(-70_000)
      await vi.waitFor(() => expect(reading.text).toContain(`id: ${count + 1}\n`), { interval: 1 })
      most = Math.max(most, process.memoryUsage().rss)
    }
    await vi.waitFor(() => expect(proxy.logged).toHaveLength(1))
    stalled.resume()
    await vi.waitFor(() => expect(isCut).toBe(true))
    expect(reading.end).toBeUndefined()
    expect(most - before).toBeLessThan(96 * 1_048_576)
  })

  it(
    "holds the upstream back when it is the only one, and is cut off after some seconds",
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
      const proxy = await startTestProxy(upstream.url)
      const stalled = connect(proxy.port, "127.0.0.1")
      stalled.on("error", () => undefined).pause()
      stalled.write(`GET ${PATH}?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await vi.waitFor(() => expect(upstream.openStreams()).toBe(1))
      await vi.waitFor(() => expect(upstream.openStreams()).toBe(0), { timeout: 20_000, interval: 100 })
      expect(sent * 65_536).toBeLessThan(64 * 1_048_576)
    },
  )
})

describe("stopping", () => {
  it("ends the streams, lets a request in progress finish, and takes no more", async () => {
    const upstream = await startUpstream((heard, response) => {
      const isStream = heard.url.includes("events")
      response.writeHead(200, { "Content-Type": isStream ? "text/event-stream" : "application/json" })
      if (isStream) response.flushHeaders()
      else setTimeout(() => response.end('{"late":true}'), 300)
    })
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url)
    await opened(reader)
    const slow = send(proxy.url, "/api/v1/work")
    await vi.waitFor(() => expect(upstream.heard).toHaveLength(2))
    const began = performance.now()
    await proxy.stop()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(reader.end).toBe("clean")
    expect((await slow).text).toBe('{"late":true}')
    await expect(send(proxy.url, "/desk/health")).rejects.toThrow()
    expect(upstream.openStreams()).toBe(0)
  })
})
