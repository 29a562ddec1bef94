import { describe, expect, it, vi } from "vitest"
import { countBefore, createFeedFilter, findEvent } from "./feed-filter.ts"
import { createReceivedEvents } from "./received-events.ts"
import { writeEventLine } from "./feed-head.tsx"

const frame = (sequence: number, type = "step", data = `{"n":${String(sequence)}}`) => ({
  id: String(sequence),
  type,
  data,
})

describe("the received events", () => {
  it("are told to their listeners once for all that came within a frame", async () => {
    const received = createReceivedEvents()
    const listener = vi.fn<() => void>()
    received.subscribe(listener)
    for (let sequence = 1; sequence <= 500; sequence++) received.append(frame(sequence))
    await expect.poll(() => received.snapshot().count).toBe(500)
    expect(listener).toHaveBeenCalledTimes(1)
    expect(received.snapshot().types).toEqual(new Map([["step", 500]]))
  })

  it("separate the events that came when the page was opened from later events", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const received = createReceivedEvents()
    for (let sequence = 1; sequence <= 3; sequence++) received.append(frame(sequence))
    await expect.poll(() => received.snapshot()).toMatchObject({ count: 3, firstLive: 3 })
    vi.setSystemTime(Date.now() + 1_000)
    for (let sequence = 4; sequence <= 6; sequence++) received.append(frame(sequence))
    await expect.poll(() => received.snapshot()).toMatchObject({ count: 6, firstLive: 3 })

    const quiet = createReceivedEvents()
    vi.setSystemTime(Date.now() + 60_000)
    quiet.append(frame(1))
    await expect.poll(() => quiet.snapshot()).toMatchObject({ count: 1, firstLive: 0 })
    vi.useRealTimers()
  })

  it("stay within their limits, and say how many were left out", async () => {
    const received = createReceivedEvents({ events: 100, characters: 1_000_000 })
    for (let sequence = 1; sequence <= 250; sequence++) received.append(frame(sequence))
    await expect.poll(() => received.snapshot().count + received.snapshot().leftOut).toBe(250)
    const { events, count, leftOut } = received.snapshot()
    expect(count).toBeLessThanOrEqual(100)
    expect(events[0]?.id).toBe(String(leftOut + 1))
    expect(events.at(-1)?.id).toBe("250")
  })

  it("lose the oldest for an enormous event, and never the newest", async () => {
    const received = createReceivedEvents({ events: 100, characters: 1_000 })
    for (let sequence = 1; sequence <= 5; sequence++) received.append(frame(sequence))
    received.append(frame(6, "huge", "x".repeat(5_000)))
    await expect.poll(() => received.snapshot().count).toBe(1)
    expect(received.snapshot().events[0]?.id).toBe("6")
  })
})

describe("the filter", () => {
  it("finds by type and by words, also in what comes later", async () => {
    const received = createReceivedEvents()
    const select = createFeedFilter()
    received.append(frame(1, "step", '{"message":"Read October"}'))
    received.append(frame(2, "finding", '{"message":"Two (2) doubles"}'))
    await expect.poll(() => received.snapshot().count).toBe(2)
    const idsOf = (type: string, text: string) => {
      const found = select(received.snapshot(), { type, text })
      return Array.from({ length: found.length }, (_, position) => found.at(position)?.id)
    }
    expect(idsOf("", "")).toEqual(["1", "2"])
    expect(idsOf("finding", "")).toEqual(["2"])
    expect(idsOf("", "OCTOBER")).toEqual(["1"])
    expect(idsOf("", "(2)")).toEqual(["2"])
    received.append(frame(3, "step", "october again"))
    await expect.poll(() => received.snapshot().count).toBe(3)
    expect(idsOf("", "OCTOBER")).toEqual(["1", "3"])
  })

  it("finds an event by its id among events without one", async () => {
    const received = createReceivedEvents()
    const ids = ["3", undefined, undefined, "9007199254740993", "x", "9007199254740994", undefined]
    for (const id of ids) received.append({ id, type: "step", data: "{}" })
    await expect.poll(() => received.snapshot().count).toBe(ids.length)
    const all = createFeedFilter()(received.snapshot(), { type: "", text: "" })
    for (const [position, id] of ids.entries()) if (id !== undefined) expect(findEvent(all, id)).toBe(position)
    expect([findEvent(all, "4"), findEvent(all, "9007199254740995"), findEvent(all, "y")]).toEqual([-1, -1, -1])
    expect([countBefore(all, 0), countBefore(all, 4), countBefore(all, 99)]).toEqual([0, 4, 7])
  })
})

describe("a line of the export", () => {
  it("keeps ids and payloads exact", () => {
    const line = writeEventLine({
      ...frame(0, 'a"b', '{"n":9007199254740993,\n"f":1.0}'),
      id: "9007199254740993",
      index: 0,
      receivedAt: 0,
    })
    expect(line).toBe(
      '{"id":"9007199254740993","event":"a\\"b","received_at":"1970-01-01T00:00:00.000Z","data":{"n":9007199254740993, "f":1.0}}\n',
    )
    expect(writeEventLine({ id: undefined, type: "t", data: "no JSON", index: 1, receivedAt: 0 })).toContain(
      '"id":null,"event":"t"',
    )
  })
})
