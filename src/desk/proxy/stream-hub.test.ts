import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { localPeople } from "../people/open-people.ts"
import { readLimits } from "../http/desk-configuration.ts"
import { EVENTS_PATH, opened, range, read, Reader, startEvents } from "../testing/events.ts"
import { problemOf, send, startTestProxy } from "../testing/desk.ts"
import { reply, startUpstream } from "../testing/upstreams.ts"
import { type PersonHeaders, startSignInProxy } from "../testing/sign-in.ts"
import { TIMEOUTS } from "./upstream.ts"

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
    await expect.poll(() => readers.map(({ sequences }) => sequences)).toEqual(readers.map(() => range(1, 6)))
    expect(upstream.heard).toHaveLength(1)
  })

  it("share it without a position too, as long as all events since its opening are in memory", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const first = read(proxy.url, "")
    await opened(first)
    upstream.publish()
    await expect.poll(() => first.sequences).toEqual(["1"])
    const second = read(proxy.url, "")
    await expect.poll(() => second.sequences).toEqual(["1"])
    expect(upstream.heard).toHaveLength(1)
  })

  it("get only the events after their position, even when it is ahead of the stream", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 4; count++) upstream.publish()
    const readers = [0, 2, 4, 6, 9].map((after) => read(proxy.url, `?after=${after}`))
    await opened(...readers)
    for (let count = 0; count < 4; count++) upstream.publish()
    await expect
      .poll(() => readers.map(({ sequences }) => sequences))
      .toEqual([range(1, 8), range(3, 8), range(5, 8), range(7, 8), []])
    await expect.poll(() => upstream.readers.size).toBe(1)
  })

  it("keep sequences apart beyond 2^53", async () => {
    const first = 9_223_372_036_854_775_800n
    const upstream = await startEvents(first)
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 6; count++) upstream.publish()
    const readers = [0n, 1n, 2n, 5n].map((back) => read(proxy.url, `?after=${first + back}`))
    await expect.poll(() => readers.map(({ sequences }) => sequences.length)).toEqual([5, 4, 3, 0])
    await opened(...readers)
    upstream.publish()
    await expect
      .poll(() => readers.map(({ sequences }) => sequences.at(-1)))
      .toEqual(readers.map(() => String(first + 6n)))
  })

  it("drop a replay by the upstream", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const reader = read(proxy.url)
    await opened(reader)
    for (const id of [1, 2, 2, 1, 3]) upstream.write(`id: ${id}\ndata: x\n\n`)
    await expect.poll(() => reader.sequences).toEqual(["1", "2", "3"])
  })

  it("with a position before the events in memory catch up by a second stream, which then ends", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 3_000; count++) upstream.publish()
    const live = read(proxy.url, "?after=2990")
    await expect.poll(() => live.sequences).toHaveLength(10)
    const late = [0, 5, 1000, 2980].map((after) => read(proxy.url, `?after=${after}`))
    await expect.poll(() => late.map(({ sequences }) => sequences.length)).toEqual([3000, 2995, 2000, 20])
    await expect.poll(() => upstream.readers.size).toBe(1)
    upstream.publish()
    await expect
      .poll(() => [live, ...late].map(({ sequences }) => sequences.at(-1)))
      .toEqual(Array.from({ length: 5 }, () => "3001"))
    expect(late[0]?.sequences).toEqual(range(1, 3001))
    expect(upstream.most.open).toBeLessThanOrEqual(2)
  })

  it("get the next events where the second stream has caught up with a stream that waited without viewers", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    for (let count = 0; count < 5; count++) upstream.publish()
    const first = read(proxy.url, "?after=2")
    await expect.poll(() => first.sequences).toEqual(range(3, 5))
    first.leave()
    await expect.poll(() => proxy.logged).toHaveLength(1)
    upstream.publish()
    const second = read(proxy.url, "?after=0")
    await expect.poll(() => second.sequences).toEqual(range(1, 6))
    for (let count = 0; count < 3; count++) upstream.publish()
    await expect.poll(() => second.sequences).toEqual(range(1, 9))
    expect(second.end).toBeUndefined()
    await expect.poll(() => upstream.readers.size).toBe(1)
  })

  it("are viewers of one Work however its id is encoded", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const spellings = ["work", "w%6Frk", "w%6frk", "%77ork", "wor%6B", "%77%6F%72%6B"]
    const readers = spellings.map((id) => new Reader(proxy.url, `/api/v1/work/${id}/events?after=0`))
    await opened(...readers)
    upstream.publish()
    await expect.poll(() => readers.map(({ sequences }) => sequences)).toEqual(readers.map(() => ["1"]))
    expect(upstream.heard).toHaveLength(1)
  })

  it("do not share with viewers of another Work", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url)
    const readers = ["a", "b", "a%20b"].map((id) => new Reader(proxy.url, `/api/v1/work/${id}/events?after=0`))
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
        // Many begin with after=0, some come back with an older position, and some have no position.
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
      const behind = () =>
        present.filter(({ reader, after }) => after < last && reader.sequences.at(-1) !== String(last))
      await expect.poll(behind, { interval: 500 }).toHaveLength(0)
      for (const { reader, after } of present) expect(reader.sequences).toEqual(range(after + 1, last))
      for (const { reader, after } of gone)
        expect(reader.sequences).toEqual(range(after + 1, after + reader.sequences.length))
      expect(peak).toBe(200)
      expect(upstream.most.open).toBeLessThanOrEqual(2)
      await expect.poll(() => upstream.readers.size).toBe(1)
      for (const { reader } of present) reader.leave()
      await expect.poll(() => upstream.readers.size).toBe(0)
    },
  )
})

describe("the streams to the upstream are bounded", () => {
  const limits = { ...readLimits({}), upstreamStreams: 2 }
  const readWork = (url: string, id: string) => new Reader(url, `/api/v1/work/${id}/events?after=0`)

  it("one more is 429 with a Problem that says why, until a stream is free", async () => {
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
    await expect.poll(() => proxy.logged.join("\n")).toContain(problemOf(refused).request_id)
    two.leave()
    await expect.poll(() => proxy.logged).toHaveLength(2)
    await opened(readWork(proxy.url, "c"))
    expect(upstream.most.open).toBe(2)
  })

  it("a stream without viewers closes at once for a new stream", async () => {
    const upstream = await startEvents()
    const proxy = await startTestProxy(upstream.url, { limits, timeouts: { ...TIMEOUTS, unviewedStream: 60_000 } })
    const [one, two] = [readWork(proxy.url, "a"), readWork(proxy.url, "b")]
    await opened(one, two)
    two.leave()
    await expect.poll(() => proxy.logged).toHaveLength(1)
    await opened(readWork(proxy.url, "c"))
    expect(upstream.most.open).toBeLessThanOrEqual(3)
  })

  it("a stream that catches up counts too", async () => {
    const upstream = await startEvents(BigInt(2) ** 40n)
    const proxy = await startTestProxy(upstream.url, { limits: { ...limits, upstreamStreams: 1 } })
    const live = read(proxy.url, `?after=${2n ** 40n}`)
    await opened(live)
    expect((await send(proxy.url, `${EVENTS_PATH}?after=0`)).status).toBe(429)
    expect(live.end).toBeUndefined()
  })

  it("with sign-in a person opens a third of them, and joining another's stream counts for nobody", async () => {
    const upstream = await startEvents()
    const proxy = await startSignInProxy(upstream.url, {
      limits: { ...limits, upstreamStreams: 8 },
      people: { access: { roles: { reader: ["anyone"] } } },
    })
    const [ada, ben] = [await proxy.signIn("Ada", []), await proxy.signIn("Ben", [])]
    const readAs = (person: PersonHeaders, id: string) =>
      new Reader(proxy.url, `/api/v1/work/${id}/events?after=0`, { ...person })
    const [one, two] = [readAs(ada, "a"), readAs(ada, "b")]
    await opened(one, two)
    const refused = await send(proxy.url, "/api/v1/work/c/events?after=0", { headers: { ...ada } })
    expect([refused.status, problemOf(refused).code]).toEqual([429, "PROXY_STREAMS_BUSY"])
    expect(problemOf(refused)["detail"]).toContain("You can have 2")
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
    // Ben opens a stream that Ada joins, and joins one of hers.
    const [bens, joined, adas] = [readAs(ben, "c"), readAs(ben, "a"), readAs(ada, "c")]
    await opened(bens, joined, adas)
    // The stream that Ada has left is Ben's to read, and nobody's to count.
    one.leave()
    await expect.poll(() => proxy.logged.length).toBeGreaterThan(1)
    await opened(readAs(ada, "d"))
    expect((await send(proxy.url, "/api/v1/work/e/events?after=0", { headers: { ...ada } })).status).toBe(429)
    expect(upstream.most.open).toBe(4)
  })
})

describe("a viewer that catches up slowly", () => {
  it("does not hold up the others that need the same events, and gets its own once and in order", async () => {
    const upstream = await startEvents()
    const data = JSON.stringify("x".repeat(25_000))
    for (let count = 0; count < 700; count++) upstream.publish(data)
    const proxy = await startTestProxy(upstream.url, { timeouts: { ...TIMEOUTS, stalledViewer: 5_000 } })
    const live = read(proxy.url, "?after=700")
    await opened(live)
    upstream.publish()
    await expect.poll(() => live.sequences).toEqual(["701"])
    const slow = connect(proxy.port, "127.0.0.1")
    onTestFinished(() => void slow.destroy())
    slow.write(`GET ${EVENTS_PATH}?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    let text = ""
    // Reads a chunk at a time, so that the desk's stream has to wait for it.
    slow.on("data", (chunk) => {
      text += chunk.toString("latin1")
      slow.pause()
      setTimeout(() => slow.resume(), 200)
    })
    await expect.poll(() => text.length).toBeGreaterThan(100_000)
    const other = read(proxy.url, "?after=0")
    await opened(other)
    await expect.poll(() => other.sequences.length, { timeout: 10_000 }).toBe(701)
    expect(other.sequences).toEqual(range(1, 701))
    expect(upstream.most.open).toBe(2)
    slow.removeAllListeners("data")
    slow.on("data", (chunk) => (text += chunk.toString("latin1"))).resume()
    const sequences = () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)
    await expect.poll(() => sequences().length, { timeout: 10_000 }).toBe(701)
    expect(sequences()).toEqual(range(1, 701))
  }, 40_000)
})

describe("a client that leaves while its session is looked up", () => {
  it.each([
    ["stream", EVENTS_PATH],
    ["download", "/api/v1/work/w/artifacts/a/content"],
    ["read", "/api/v1/work/w"],
  ])("opens no %s", async (_, path) => {
    const upstream = await startUpstream(reply(200, "application/json", "{}"))
    const local = localPeople()
    let lookUp = Promise.withResolvers<void>()
    const people = {
      ...local,
      findSession: async (id: string | undefined) => {
        await lookUp.promise
        return local.findSession(id)
      },
    }
    const proxy = await startTestProxy(upstream.url, { people })
    const socket = connect(proxy.port, "127.0.0.1")
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await new Promise((resolve) => proxy.server.once("request", resolve))
    socket.destroy()
    await expect.poll(() => proxy.logged).toHaveLength(1)
    lookUp.resolve()
    lookUp = Promise.withResolvers()
    lookUp.resolve()
    // A later request is answered, so the first one has had its turn.
    await send(proxy.url, "/api/v1/nothing")
    expect(upstream.heard).toEqual([])
    expect(JSON.parse(proxy.logged[0] ?? "")).toMatchObject({ status: 499 })
  })
})
