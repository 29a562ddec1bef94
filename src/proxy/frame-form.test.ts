import { describe, expect, it } from "vitest"
import { toReadableForm, withoutMark } from "./frame-form.ts"

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
