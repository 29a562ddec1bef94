import { describe, expect, it } from "vitest"
import { FRAME_MAX_BYTES, FrameSplitter, toReadableForm, withoutMark, type Unit } from "./frames.ts"

const split = (...chunks: (string | Buffer)[]): Unit[] => {
  const splitter = new FrameSplitter()
  return chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)))
}
const texts = (units: Unit[]) => units.map(({ bytes }) => bytes.toString())

const STREAM = [
  ": heartbeat\n",
  "id: 1\nevent: a\ndata: {}\n\n",
  ": heartbeat\n",
  "\n",
  "id:2\nevent: b\nunknown: field\n: within\ndata: one\ndata: two\n\n",
  "event: without\ndata: id\n\n",
  "data: é 😀 \u202e\nid: 9007199254740993\n\n",
  "id: x\ndata: y\n\n",
  "id\ndata: z\n\n",
  "id: 5\n\n",
  "retry: 0\n\n",
]
const sequencesOf = (units: Unit[]) => units.filter(({ isEvent }) => isEvent).map(({ sequence }) => sequence)
const SEQUENCES = [1n, 2n, undefined, 9_007_199_254_740_993n, undefined, undefined, 5n, undefined]

describe.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("frames whose lines end with %s", (_, end) => {
  const bytes = Buffer.from(STREAM.join("").replaceAll("\n", end))

  it("are units with their sequences", () => {
    const units = split(bytes)
    expect(texts(units)).toEqual(STREAM.map((text) => text.replaceAll("\n", end)))
    expect(sequencesOf(units)).toEqual(SEQUENCES)
    expect(units.map(({ isEvent }) => isEvent)).toEqual(STREAM.map((text) => !/^(?::.*)?\n$/.test(text)))
  })

  it("are the same wherever the network splits them, and no byte is lost or changed", () => {
    for (let at = 0; at <= bytes.length; at++) {
      const units = split(bytes.subarray(0, at), bytes.subarray(at))
      expect(texts(units).join(""), `cut at ${at}`).toBe(bytes.toString())
      expect(sequencesOf(units), `cut at ${at}`).toEqual(SEQUENCES)
    }
  })

  it("are the same byte by byte", () => {
    const units = split(...Array.from(bytes, (byte) => Buffer.of(byte)))
    expect(Buffer.concat(units.map((unit) => unit.bytes)).equals(bytes)).toBe(true)
    expect(sequencesOf(units)).toEqual(SEQUENCES)
  })
})

describe("the splitter", () => {
  // undici gives such a chunk when a paused answer goes on and no bytes have come meanwhile (measured with 8.12.4).
  it("loses nothing of a large frame when an empty chunk comes within the frame", () => {
    const large = `id: 1\ndata: ${"x".repeat(200_000)}\n\n`
    for (const at of [100_000, large.length - 1])
      expect(texts(split(large.slice(0, at), "", large.slice(at))).join("") === large, `cut at ${at}`).toBe(true)
  })

  it("gives a heartbeat at the end of its line, and a frame only after its blank line", () => {
    expect(texts(split(": heartbeat\n"))).toEqual([": heartbeat\n"])
    expect(texts(split("id: 3\nevent: x\ndata: {}\n"))).toEqual([])
    expect(texts(split("id: 3\nevent: x\n: comment\n"))).toEqual([])
  })

  it.each(["-1", "1e3", "01", "1.0", " 1", "9223372036854775808", "1\u0000"])("reads no sequence from id %j", (id) => {
    expect(split(`id: ${id}\ndata: x\n\n`).map(({ sequence }) => sequence)).toEqual([undefined])
  })

  it("uses the last id of a frame, as a browser does", () => {
    expect(split("id: 3\nid: 4\ndata: x\n\n")[0]?.sequence).toBe(4n)
  })

  it("ignores ids in data, and fields whose names begin with id", () => {
    expect(split("data: id: 9\nidx: 8\n id: 7\ndata: x\n\n")[0]?.sequence).toBeUndefined()
  })

  it("accepts 8 MB in small pieces, and refuses an endless frame", () => {
    const pieces = Array.from({ length: 1_000 }, () => "x".repeat(8_400))
    expect(split("id: 1\ndata: ", ...pieces, "\n\n")[0]?.bytes.length).toBe(8_400_014)
    const splitter = new FrameSplitter()
    expect(() => {
      for (let sent = 0; sent <= FRAME_MAX_BYTES; sent += 65_536) splitter.push(Buffer.alloc(65_536, "x"))
    }).toThrow(RangeError)
  })
})

const rewrite = (frame: string) => toReadableForm(Buffer.from(frame)).toString()

describe("a frame", () => {
  it.each([
    'id: 7\nevent: work.changed\ndata: {"é": "😀"}\ndata: \n\n',
    "id:7\r\ndata:x\r\n: comment\r\n\r\n",
    "data: x\rretry: 5\rid: 7\r\r",
    "retry: 0\n\n",
    "id: 7\n\n",
  ])("that the app reads as the standard says stays the same bytes: %j", (text) => {
    const frame = Buffer.from(text)
    expect(toReadableForm(frame)).toBe(frame)
  })

  it.each([
    ["a field without a colon", "event: a\ndata\ndata: x\n\n", "event: a\ndata: \ndata: x\n\n"],
    ["an id without a colon", "id: 7\nid\r\nevent:a\r\ndata:x\r\n\r\n", "id: \nevent: a\ndata: x\n\n"],
    ["an empty type without a colon", "event: a\nevent\ndata: x\n\n", "event: message\ndata: x\n\n"],
    ["empty data", "id: 7\ndata:\n\n", "id: 7\nevent: message\ndata: \n\n"],
    ["an id with a NUL", "id: 7\u0000\nevent: a\ndata: ü : b\n\n", "event: a\ndata: ü : b\n\n"],
    ["a byte order mark before a field", "\uFEFFid: 7\nevent: a\ndata: x\n\n", "event: a\ndata: x\n\n"],
    ["no data", "id: 7\nevent: a\n\n", ":\n\n"],
  ])("with %s is written anew", (_, frame, written) => {
    expect(rewrite(frame)).toBe(written)
    expect(rewrite(written)).toBe(written)
  })
})

it("a byte order mark is taken off at the beginning of a stream", () => {
  expect(withoutMark(Buffer.from("\uFEFFdata: 1")).toString()).toBe("data: 1")
  expect(withoutMark(Buffer.from("data: 1")).toString()).toBe("data: 1")
})
