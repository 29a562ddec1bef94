import { describe, expect, it } from "vitest"
import { summariseData } from "./event-line.ts"

const NOW = Date.parse("2026-11-20T12:00:00Z")
const lineOf = (data: string) => summariseData(data, NOW).line

describe("the readable line of a payload", () => {
  it.each([
    ['{"message":"Read 400 rows","rows":400}', "Read 400 rows"],
    ['{"rows":400,"summary":"Done"}', "Done"],
    ['{"payload":{"text":"Nested words"}}', "Nested words"],
    ['{"colour":"green","rows":12,"deep":{"a":[1]}}', 'colour: green, rows: 12, deep: {"a":[1]}'],
    ['{"sequence":9007199254740993}', "sequence: 9007199254740993"],
    ['{"message":"","rows":1}', "message: , rows: 1"],
    ['"just words"', "just words"],
    ["[1,2]", "[1,2]"],
    ["null", "null"],
    ["not JSON", "not JSON"],
    ['{"message":"two\\nlines"}', "two lines"],
  ])("of %s is %j", (data, line) => {
    expect(lineOf(data)).toBe(line)
  })

  it("is missing where there is nothing to say", () => {
    expect([lineOf("{}"), lineOf(""), lineOf('{"occurred_at":"2026-11-20T11:00:00Z"}')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it("is short, and found in the beginning of an enormous payload without reading all of it", () => {
    expect(lineOf(`{"message":"${"x".repeat(1000)}"}`)?.length).toBeLessThan(302)
    expect(lineOf(`{"message":"A \\"long\\" one","rows":"${"x".repeat(1_000_000)}"}`)).toBe('A "long" one')
    expect(lineOf("y".repeat(1_000_000))?.startsWith("yyy")).toBe(true)
  })
})

describe("when it happened", () => {
  it("is what the payload says under a name that means it", () => {
    expect(summariseData('{"occurred_at":"2026-11-20T11:00:00.123Z"}', NOW).happened).toEqual({
      at: "2026-11-20T11:00:00.123Z",
      member: "occurred_at",
    })
  })

  it.each([
    '{"due_at":"2026-11-20T11:00:00Z"}',
    '{"time":"noon"}',
    '{"at":"2026-11-20"}',
    '{"at":"2027-01-01T00:00:00Z"}',
    "[]",
  ])("is not guessed from %s", (data) => {
    expect(summariseData(data, NOW).happened).toBeUndefined()
  })
})
