import { describe, expect, it } from "vitest"
import { createEventReader, EVENT_MAX_BYTES, type Unit } from "./event-reader.ts"

const read = (...chunks: (string | Buffer)[]): Unit[] => {
  const readChunk = createEventReader()
  return chunks.flatMap((chunk) => readChunk(Buffer.from(chunk)))
}
const eventsOf = (units: Unit[]) => units.filter(({ isEvent }) => isEvent)
const texts = (units: Unit[]) => eventsOf(units).map(({ bytes }) => bytes.toString())
const sequencesOf = (units: Unit[]) => eventsOf(units).map(({ sequence }) => sequence)

const STREAM = [
  ": heartbeat\n",
  "id: 1\nevent: a\ndata: {}\n\n",
  ": heartbeat\n",
  "\n",
  "id:2\nevent: b\nunknown: field\n: within\ndata: one\ndata:  two\n\n",
  "event: without\ndata: id\n\n",
  "data: é 😀 \u202e\nid: 9007199254740993\n\n",
  "id: x\ndata\ndata: y\n\n",
  "id\ndata:\n\n",
  "id: 5\n\n",
  "event: no data\n\n",
  "retry: 0\n\n",
].join("")
const EVENTS = [
  "id: 1\nevent: a\ndata: {}\n\n",
  "id: 2\nevent: b\ndata: one\ndata:  two\n\n",
  "event: without\ndata: id\n\n",
  "id: 9007199254740993\nevent: message\ndata: é 😀 \u202e\n\n",
  "id: x\nevent: message\ndata: \ndata: y\n\n",
  "id: \nevent: message\ndata: \n\n",
]
const SEQUENCES = [1n, 2n, undefined, 9_007_199_254_740_993n, undefined, undefined]

describe.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("events whose lines end with %s", (_, end) => {
  const bytes = Buffer.from(STREAM.replaceAll("\n", end))

  it("keep id, type and data, wherever the network splits the stream", () => {
    for (let at = 0; at <= bytes.length; at++) {
      const units = read(bytes.subarray(0, at), bytes.subarray(at))
      expect(texts(units), `cut at ${at}`).toEqual(EVENTS)
      expect(sequencesOf(units), `cut at ${at}`).toEqual(SEQUENCES)
    }
  })

  it("are the same byte by byte", () => {
    const units = read(...Array.from(bytes, (byte) => Buffer.of(byte)))
    expect(texts(units)).toEqual(EVENTS)
    expect(sequencesOf(units)).toEqual(SEQUENCES)
  })
})

it.each([": note\n", "\n", "\r", "event: no data\n\n", "retry: 0\n\n", "unknown: x\n"])(
  "makes a heartbeat of %j",
  (text) => {
    expect(read(text)).toEqual([expect.objectContaining({ isEvent: false, sequence: undefined })])
  },
)

it("gives each heartbeat of the stream in its place, also beside an event", () => {
  const units = read(": heartbeat\n\nid: 1\nevent: a\ndata: {}\n\n: heartbeat\n\n")
  expect(units.map(({ isEvent }) => isEvent)).toEqual([false, true, false])
})

it("gives an event only after its blank line", () => {
  expect(texts(read("id: 3\nevent: x\ndata: {}\n"))).toEqual([])
  expect(texts(read("id: 3\nevent: x\ndata: {}\n", "\n"))).toEqual(["id: 3\nevent: x\ndata: {}\n\n"])
})

it("keeps bytes that are no UTF-8", () => {
  const data = Buffer.of(0xff, 0xc3, 0x62, 0xe2, 0x82)
  const [unit] = read(Buffer.concat([Buffer.from("data: "), data, Buffer.from("\n\n")]))
  expect(unit?.bytes).toEqual(Buffer.concat([Buffer.from("event: message\ndata: "), data, Buffer.from("\n\n")]))
})

it.each(["-1", "1e3", "01", "1.0", " 1", "9223372036854775808", "1\u0000"])("reads no sequence from id %j", (id) => {
  expect(sequencesOf(read(`id: ${id}\ndata: x\n\n`))).toEqual([undefined])
})

it("uses the last id of an event, as a browser does, and none of data or other fields", () => {
  expect(sequencesOf(read("id: 3\nid: 4\ndata: x\n\n"))).toEqual([4n])
  expect(sequencesOf(read("data: id: 9\nidx: 8\n id: 7\ndata: x\n\n"))).toEqual([undefined])
})

it("takes a byte order mark off at the beginning of a stream", () => {
  expect(texts(read("\uFEFFdata: 1\n\n\uFEFFdata: 2\n\n"))).toEqual(["event: message\ndata: 1\n\n"])
})

// undici gives such a chunk when a paused answer goes on and no bytes have come meanwhile (measured with 8.12.4).
it("loses nothing of a large event when an empty chunk comes within the event", () => {
  const large = `id: 1\nevent: x\ndata: ${"x".repeat(200_000)}\n\n`
  for (const at of [100_000, large.length - 1])
    expect(texts(read(large.slice(0, at), "", large.slice(at))).join("") === large, `cut at ${at}`).toBe(true)
})

it("accepts 8 MB in small pieces, and refuses an endless event", () => {
  const pieces = Array.from({ length: 1_000 }, () => "x".repeat(8_400))
  expect(read("id: 1\nevent: x\ndata: ", ...pieces, "\n\n")[0]?.bytes.length).toBe(8_400_023)
  for (const line of ["x".repeat(65_536), `data: ${"x".repeat(65_530)}\n`]) {
    const readChunk = createEventReader()
    readChunk(Buffer.from("data: "))
    expect(() => {
      for (let sent = 0; sent <= EVENT_MAX_BYTES; sent += 65_000) readChunk(Buffer.from(line))
    }).toThrow(RangeError)
  }
})
