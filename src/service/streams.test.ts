import { connect } from "node:net"
import { writeFile } from "node:fs/promises"
import { describe, expect, onTestFinished, test } from "vitest"
import { read, type StreamReader, upTo } from "./testing/stream-reader.ts"
import { ALICE, credentials, serviceForTest, eventually } from "./testing/test-service.ts"

describe("the event stream", () => {
  test("gives id, event and data in this order, from the beginning", async () => {
    const service = await serviceForTest()
    const work = await service.work()
    await service.first(work, "attention")
    const reader = await read(service, work)
    await eventually(async () => expect(reader.sequences.length).toBeGreaterThan(2))
    const [first = ""] = reader.text.split("\n\n")
    expect(first).toMatch(/^id: 1\nevent: work\.created\ndata: \{.*\}$/)
    expect(reader.sequences).toEqual(upTo(reader.sequences.length))
    for (const [, data = ""] of reader.text.matchAll(/^data: (.*)$/gm)) {
      expect(JSON.parse(data)).toMatchObject({ occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) })
    }
  })

  test("resumes after the given event, and `after` takes precedence over any Last-Event-ID", async () => {
    const service = await serviceForTest()
    const work = await service.work()
    await service.first(work, "attention")
    const whole = await read(service, work)
    await eventually(async () => expect(whole.text).toContain("event: work.needs_you"))
    const last = whole.sequences.length
    const cases: [string, string | undefined, number][] = [
      ["?after=2", undefined, 3],
      ["?after=0", undefined, 1],
      ["", "2", 3],
      ["?after=1", "3", 2],
      ["?after=1", "nonsense", 2],
    ]
    for (const [query, id, first] of cases) {
      const reader = await read(service, work, query, id === undefined ? {} : { headers: { "last-event-id": id } })
      await eventually(async () => expect(reader.sequences).toEqual(upTo(last, first)))
    }
  })

  test("opens at once without an event to send, and sends only events above `after`", async () => {
    const service = await serviceForTest()
    const work = await service.work()
    await service.first(work, "attention")
    const reader = await read(service, work, "?after=9223372036854775807")
    expect(reader.status).toBe(200)
    await service.answer(work)
    await service.first(work, "approvals")
    expect(reader.text).toBe("")
  })

  test("of finished Work stays open", async () => {
    const service = await serviceForTest({ configuration: { heartbeatSeconds: 0.05 } })
    const work = await service.work()
    await service.answer(work)
    await service.decide(work, "decline")
    await service.until(work, "done")
    const reader = await read(service, work)
    await eventually(async () => expect(reader.heartbeats).toBeGreaterThan(2))
    expect(reader.text).toContain("event: work.done")
    expect(reader.ended).toBe(false)
  })

  test("gives every reader each event once and in order, also while other readers catch up", async () => {
    const service = await serviceForTest()
    const work = await service.work({ colleague_id: "metronome", objective: "rate=400" })
    const readers: StreamReader[] = []
    for (let count = 0; count < 20; count++) readers.push(await read(service, work, `?after=${count * 3}`))
    for (const [index, reader] of readers.entries()) {
      await eventually(async () => expect(reader.sequences.length).toBeGreaterThan(400))
      const { sequences } = reader
      expect(sequences).toEqual(upTo(index * 3 + sequences.length, index * 3 + 1))
    }
  })

  test("has heartbeats at the interval, also while there are events", async () => {
    const service = await serviceForTest({ configuration: { heartbeatSeconds: 0.1 } })
    const work = await service.work({ colleague_id: "metronome", objective: "rate=100" })
    const opened = performance.now()
    const reader = await read(service, work)
    await eventually(async () => expect(reader.sequences.length).toBeGreaterThan(10))
    const before = { heartbeats: reader.heartbeats, events: reader.sequences.length }
    await eventually(async () => expect(reader.heartbeats).toBeGreaterThanOrEqual(before.heartbeats + 4))
    expect(reader.sequences.length).toBeGreaterThan(before.events)
    // A timer of Node may fire a millisecond early.
    const seconds = (performance.now() - opened) / 1000
    expect(reader.heartbeats).toBeLessThanOrEqual(seconds / 0.1 + 1)
  })

  test("uses a changed interval of heartbeats", async () => {
    const service = await serviceForTest()
    const reader = await read(service, await service.work())
    await writeFile(service.configFile, JSON.stringify({ credentials, pace: 0, heartbeatSeconds: 0.1 }))
    await eventually(async () => expect(reader.heartbeats).toBeGreaterThan(2))
  })

  test("keeps its heartbeats while other settings change again and again", async () => {
    const service = await serviceForTest({ configuration: { heartbeatSeconds: 0.5 } })
    const reader = await read(service, await service.work())
    await eventually(async () => {
      const changed = { credentials, heartbeatSeconds: 0.5, uploadLifetimeSeconds: 1000 + Math.random() }
      await writeFile(service.configFile, JSON.stringify(changed))
      expect(reader.heartbeats).toBeGreaterThan(1)
    })
  })

  test("ends at the first heartbeat after its credential was revoked", async () => {
    const service = await serviceForTest({ configuration: { heartbeatSeconds: 0.2 } })
    const work = await service.work()
    const reader = await read(service, work)
    const others = credentials.filter(({ token }) => token !== ALICE)
    await writeFile(service.configFile, JSON.stringify({ credentials: others, pace: 0, heartbeatSeconds: 0.2 }))
    await eventually(async () => expect(reader.ended).toBe(true))
    expect((await service.get("/api/v1/work")).status).toBe(401)
  })

  test("ends at the heartbeat that was due, when a change revokes its credential and makes the interval longer", async () => {
    const service = await serviceForTest({ configuration: { heartbeatSeconds: 0.5 } })
    const reader = await read(service, await service.work())
    await writeFile(service.configFile, JSON.stringify({ credentials: [], heartbeatSeconds: 60 }))
    await eventually(async () => expect(reader.ended).toBe(true))
  })

  test("counts for its credential until it is closed, and one stream too many is 429", async () => {
    const service = await serviceForTest({ configuration: { limits: { streamsPerCredential: 2 } } })
    const work = await service.work()
    const first = await read(service, work)
    await read(service, work)
    const third = await service.get(`/api/v1/work/${work}/events`)
    expect(third.status).toBe(429)
    expect(third.headers).toMatchObject({ "retry-after": expect.any(String), "ratelimit-policy": expect.any(String) })
    first.close()
    const fourth = await eventually(async () => {
      const reader = await read(service, work)
      expect(reader.status).toBe(200)
      return reader
    })
    expect(fourth.ended).toBe(false)
  })

  test("counts for its credential also when the request is pipelined", async () => {
    const service = await serviceForTest({ configuration: { limits: { streamsPerCredential: 2 } } })
    const work = await service.work()
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET /api/v1/work/${work}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ALICE}\r\n\r\n`.repeat(5),
    )
    await new Promise((resolve) => socket.once("data", resolve))
    const statusOfAnother = async () => {
      const reader = await read(service, work)
      reader.close()
      return reader.status
    }
    expect(await statusOfAnother()).toBe(429)
    socket.destroy()
    await eventually(async () => expect(await statusOfAnother()).toBe(200))
    await eventually(async () => expect((await read(service, work)).status).toBe(200))
    expect((await read(service, work)).status).toBe(200)
    expect(await statusOfAnother()).toBe(429)
  })

  test("ends when the service stops", async () => {
    const service = await serviceForTest()
    const reader = await read(service, await service.work())
    await service.stop()
    await eventually(async () => expect(reader.ended).toBe(true))
  })

  test("does not count after its connection was aborted, a hundred times", async () => {
    const service = await serviceForTest({ configuration: { limits: { streamsPerCredential: 3 } } })
    const work = await service.work({ colleague_id: "metronome", objective: "rate=50" })
    for (let count = 0; count < 100; count++) {
      const reader = await eventually(async () => {
        const reader = await read(service, work)
        expect(reader.status).toBe(200)
        return reader
      })
      reader.close()
    }
    const last = await eventually(async () => {
      const reader = await read(service, work)
      expect(reader.status).toBe(200)
      return reader
    })
    await eventually(async () => expect(last.sequences.length).toBeGreaterThan(3))
  })

  test("serves HTTP/1.0, which has no chunks", async () => {
    const service = await serviceForTest()
    const work = await service.work()
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    let text = ""
    socket.on("data", (piece) => (text += String(piece)))
    socket.write(`GET /api/v1/work/${work}/events HTTP/1.0\r\nAuthorization: Bearer ${ALICE}\r\n\r\n`)
    await eventually(async () => expect(text).toContain("\r\n\r\nid: 1\nevent: work.created\n"))
  })
})
