import { describe, expect, it } from "vitest"
import { createLineRewriter, unmarkData, unmarkField } from "./standard-lines.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (chunks: readonly Uint8Array[]) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])))

const STREAM =
  "\uFEFF: note\r\nid: 7\r\nevent:ä\rdata: one\ndata\n\nretry:3\nid\u0000:1\ndata:x:y\r\n\r\nid:8\ndata:half"

describe("standard lines", () => {
  it("keep data, event and id, each value behind its mark", () => {
    expect(text([createLineRewriter()(bytes(STREAM))])).toBe(
      "id:.7\nevent:.ä\ndata:.one\ndata:.\n\ndata:.x:y\n\nid:.8\n",
    )
  })

  it("are the same wherever the bytes are cut", () => {
    const whole = text([createLineRewriter()(bytes(STREAM))])
    const stream = bytes(STREAM)
    for (let first = 0; first <= stream.length; first++) {
      const rewrite = createLineRewriter()
      expect(text([rewrite(stream.subarray(0, first)), rewrite(stream.subarray(first))])).toBe(whole)
    }
    const rewrite = createLineRewriter()
    expect(text([...stream].map((byte) => rewrite(Uint8Array.of(byte))))).toBe(whole)
  })

  it("tell an empty value from none", () => {
    expect([unmarkField(""), unmarkField("."), unmarkField(".7")]).toEqual([undefined, "", "7"])
    expect([unmarkData(""), unmarkData("."), unmarkData(".\n.x\n...")]).toEqual([undefined, "", "\nx\n.."])
  })
})
