import { hash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { parseJson } from "../../../contract/int64.ts"
import { Refused } from "../../../platform/http/send.ts"
import { approval } from "../testing/deciding.ts"
import { canonicalJson } from "../canonical-json.ts"
import { findApproval, readAnswer } from "./recorded-content.ts"

describe("the canonical form", () => {
  test.each([
    // RFC 8785, 3.2.2 and 3.2.3.
    [
      String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    ],
    [
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji","\u0080":"Control","\u00f6":"Latin"}`,
      `{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin","€":"Euro Sign","😀":"Emoji","\ufb33":"Hebrew Letter Dalet With Dagesh"}`,
    ],
    ['{"version":9007199254740993,"size":3.0,"other":1.0}', '{"other":1,"size":3,"version":9007199254740993}'],
    ['{"b":{"d":[],"c":{}},"a":""}', '{"a":"","b":{"c":{},"d":[]}}'],
  ])("of %s is as RFC 8785 says, with int64 as digits", (text, form) => {
    expect(canonicalJson(parseJson(text))).toBe(form)
  })
})

describe("an approval that was read", () => {
  const list = (...approvals: readonly unknown[]) => Buffer.from(JSON.stringify({ data: approvals }))

  test("is hashed whole, in its canonical form", () => {
    const found = findApproval(
      list(approval({ id: "other" }), approval({ unknown: { z: 1, a: 2 } })),
      "work_1",
      "approval_1",
    )
    if (found === undefined) throw new Error("not found")
    const form = canonicalJson(parseJson(JSON.stringify(approval({ unknown: { z: 1, a: 2 } }))))
    expect(found.about.content_hash).toBe(`sha256:${hash("sha256", form)}`)
    expect(found).toMatchObject({ version: 1n, colleague: "analyst", destination: "payments@bank.example" })
  })

  test.each([
    ["no list", Buffer.from("{}")],
    ["no JSON", Buffer.from("{")],
    ["with the approval twice", list(approval(), approval())],
    ["without a version", list(approval({ version: "1" }))],
    ["without a destination", list(approval({ destination: null }))],
    ["nested too deeply", Buffer.from(`{"data":[{"id":"approval_1","x":${"[".repeat(50_000)}${"]".repeat(50_000)}}]}`)],
  ])("cannot be read from %s", (_, body) => expect(() => findApproval(body, "work_1", "approval_1")).toThrow(Refused))

  test("keeps the beginning of a text of any length", () => {
    const found = findApproval(list(approval({ subject: "x".repeat(1_000_000) })), "work_1", "approval_1")
    expect(found).toMatchObject({ about: { subject: `${"x".repeat(4_000)}…` } })
  })
})

test("what can be read of an answer is kept, whatever else the answer holds", () => {
  expect(readAnswer("resolveWorkApproval", Buffer.from("{}"))).toMatchObject({ service_actor: undefined })
  const deep = Buffer.from(`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`)
  expect(readAnswer("resolveWorkAttention", deep)).toEqual({})
  expect(readAnswer("createWork", Buffer.from('{"id":7}'))).toEqual({ work_id: undefined, summary: undefined })
})
