import { describe, expect, it } from "vitest"
import { createEventCursor, readSequence } from "./event-cursor.ts"

describe("the cursor", () => {
  it("begins at 0 and takes a first event of sequence 0", () => {
    const cursor = createEventCursor()
    expect(cursor.position()).toBe("0")
    expect(cursor.take("0")).toBe(true)
    expect(cursor.take("0")).toBe(false)
  })

  it("drops what it had, and tells sequences beyond 2^53 apart", () => {
    const cursor = createEventCursor()
    expect(["9007199254740992", "9007199254740993", "9007199254740992", "9007199254740993"].map(cursor.take)).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(cursor.position()).toBe("9007199254740993")
  })

  it.each([undefined, "", "seven", "-1", "1.5", "9223372036854775808", " 3"])("is not moved by %j", (id) => {
    const cursor = createEventCursor()
    cursor.take("2")
    expect(cursor.take(id)).toBe(true)
    expect(cursor.position()).toBe("2")
    expect(readSequence(id)).toBeUndefined()
  })
})
