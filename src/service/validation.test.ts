import { describe, expect, test } from "vitest"
import { document, resolve } from "../contract/testing/openapi.ts"
import { parseJson } from "../contract/int64.ts"
import type { OperationId } from "../contract/resources.ts"
import { bodyFault, parameterFault } from "./validation.ts"

const work = { colleague_id: "analyst", objective: "Profile the sales" }
const upload = { name: "sales.csv", media_type: "text/csv", content: "a,b" }
const dateTime = "must be a date and time with its offset, such as 2026-11-20T12:00:00Z"
const seconds = "must be a whole number between 1 and 86400"

describe("the body of a request", () => {
  test.each<[OperationId, unknown]>([
    ["createWork", work],
    [
      "createWork",
      { colleague_id: "a", objective: "😀".repeat(4000), title: "", due_at: "2026-02-28T23:59:59.5+05:30" },
    ],
    ["createWork", { ...work, visibility_scope: "team", priority: "urgent", input_upload_ids: ["a", "b", "c", "d"] }],
    ["createWork", { ...work, active_execution_limit_seconds: 1n, input_upload_ids: [] }],
    ["createWork", { ...work, active_execution_limit_seconds: 86400 }],
    ["createInputUpload", upload],
    ["createInputUpload", { ...upload, name: "é".repeat(120), content: "x".repeat(102_400) }],
    ["createInputUpload", { ...upload, content: "😀".repeat(25_600) }],
    ["resolveWorkAttention", { response: "é".repeat(4000) }],
    ["resolveWorkApproval", { decision: "approve" }],
    ["resolveWorkApproval", { decision: "decline", comment: "😀".repeat(2000) }],
    ["resolveWorkApproval", { decision: "decline", comment: "" }],
    ["retryInputUploadProcessing", undefined],
  ])("%s accepts a valid body (%#)", (id, body) => {
    expect(bodyFault(id, body)).toBeUndefined()
  })

  test.each<[OperationId, unknown, string]>([
    ["createWork", undefined, "The body is required"],
    ["createWork", null, "The body must be an object"],
    ["createWork", [work], "The body must be an object"],
    ["createWork", { objective: "x" }, "colleague_id is required"],
    ["createWork", { colleague_id: "a" }, "objective is required"],
    ["createWork", { ...work, colleague_id: "" }, "colleague_id must not be empty"],
    ["createWork", { ...work, objective: "" }, "objective must not be empty"],
    ["createWork", { ...work, objective: "x".repeat(4001) }, "objective must have at most 4000 characters"],
    ["createWork", { ...work, objective: 7 }, "objective must be a string"],
    ["createWork", { ...work, title: null }, "title must be a string"],
    ["createWork", { ...work, priority: "High" }, "priority must be one of low, normal, high, urgent"],
    ["createWork", { ...work, visibility_scope: "all" }, "visibility_scope must be one of private, team, organization"],
    ["createWork", { ...work, due_at: "tomorrow" }, `due_at ${dateTime}`],
    ["createWork", { ...work, due_at: "2026-02-30T00:00:00Z" }, `due_at ${dateTime}`],
    ["createWork", { ...work, due_at: "2026-11-20T12:00:00" }, `due_at ${dateTime}`],
    ["createWork", { ...work, due_at: "2026-11-20\n12:00:00Z" }, `due_at ${dateTime}`],
    ["createWork", { ...work, due_at: "2026-11-20T12:00:00+01" }, `due_at ${dateTime}`],
    ["createWork", { ...work, active_execution_limit_seconds: 0n }, `active_execution_limit_seconds ${seconds}`],
    ["createWork", { ...work, active_execution_limit_seconds: 86401 }, `active_execution_limit_seconds ${seconds}`],
    ["createWork", { ...work, active_execution_limit_seconds: 1.5 }, `active_execution_limit_seconds ${seconds}`],
    ["createWork", { ...work, active_execution_limit_seconds: "60" }, `active_execution_limit_seconds ${seconds}`],
    ["createWork", { ...work, active_execution_limit_seconds: Infinity }, `active_execution_limit_seconds ${seconds}`],
    ["createWork", { ...work, input_upload_ids: "a" }, "input_upload_ids must be an array"],
    [
      "createWork",
      { ...work, input_upload_ids: ["a", "b", "c", "d", "e"] },
      "input_upload_ids must have at most 4 items",
    ],
    [
      "createWork",
      { ...work, input_upload_ids: ["a", "b", "a"] },
      "input_upload_ids must not contain the same item twice",
    ],
    ["createWork", { ...work, input_upload_ids: ["a", 2] }, "input_upload_ids[1] must be a string"],
    ["createWork", { ...work, attachments: [] }, "attachments is not a known property"],
    [
      "createWork",
      parseJson(`{"colleague_id":"a","objective":"x","__proto__":{}}`),
      "__proto__ is not a known property",
    ],
    ["createInputUpload", { ...upload, name: "" }, "name must not be empty"],
    ["createInputUpload", { ...upload, name: "😀".repeat(121) }, "name must have at most 120 characters"],
    [
      "createInputUpload",
      { ...upload, media_type: "text/html" },
      "media_type must be one of application/json, text/csv, text/markdown, text/plain",
    ],
    ["createInputUpload", { ...upload, content: "" }, "content must not be empty"],
    ["createInputUpload", { ...upload, content: "x".repeat(102_401) }, "content must have at most 102400 characters"],
    [
      "createInputUpload",
      { ...upload, content: "é".repeat(51_201) },
      "content must have at most 102400 bytes in UTF-8",
    ],
    ["resolveWorkAttention", {}, "response is required"],
    ["resolveWorkAttention", { response: "" }, "response must not be empty"],
    ["resolveWorkAttention", { response: "x".repeat(4001) }, "response must have at most 4000 characters"],
    ["resolveWorkApproval", {}, "decision is required"],
    ["resolveWorkApproval", { decision: "approved" }, "decision must be one of approve, decline"],
    [
      "resolveWorkApproval",
      { decision: "approve", comment: "x".repeat(2001) },
      "comment must have at most 2000 characters",
    ],
    ["retryInputUploadProcessing", {}, "This operation accepts no body"],
  ])("%s refuses a body that is not valid (%#)", (id, body, detail) => {
    expect(bodyFault(id, body)).toBe(detail)
  })

  test("a property name of 80 characters is told in full, also when they are emoji", () => {
    const name = "😀".repeat(80)
    expect(bodyFault("createWork", { ...work, [name]: 1 })).toBe(`${name} is not a known property`)
  })

  test("a very long property name is shortened, and 100,000 failures give one sentence", () => {
    expect(bodyFault("createWork", { ...work, ["😀".repeat(200)]: 1 })).toBe(
      `${"😀".repeat(80)}… is not a known property`,
    )
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`p${index}`, 1]))
    expect(bodyFault("createWork", { ...work, ...many })).toBe("p0 is not a known property")
  })
})

describe("a parameter", () => {
  const limit = "limit must be a whole number between 1 and 100"
  const sequence = "must be a whole number between 0 and 9223372036854775807"

  test.each<[OperationId, "query" | "header", string, string]>([
    ["listWork", "query", "limit", "1"],
    ["listWork", "query", "limit", "100"],
    ["listWork", "query", "status", "needs_you"],
    ["listWork", "query", "cursor", "anything at all"],
    ["listWorkApprovals", "query", "status", "pending"],
    ["streamWorkEvents", "query", "after", "0"],
    ["streamWorkEvents", "query", "after", "9223372036854775807"],
    ["streamWorkEvents", "header", "last-event-id", "9007199254740993"],
    ["createWork", "header", "idempotency-key", "😀".repeat(255)],
    ["resolveWorkApproval", "header", "If-Match", `"3"`],
  ])("%s accepts %s %s (%#)", (id, where, name, text) => {
    expect(parameterFault(id, where, name, text)).toBeUndefined()
  })

  test.each<[OperationId, "query" | "header", string, string, string]>([
    ...["", "0", "101", "-1", "+1", "01", "1.0", "1e1", " 1", "ten", "9".repeat(400)].map(
      (text): [OperationId, "query", string, string, string] => ["listWork", "query", "limit", text, limit],
    ),
    ...["", "-1", "+1", "00", "1e3", "0x10", "9223372036854775808"].map(
      (text): [OperationId, "query", string, string, string] => [
        "streamWorkEvents",
        "query",
        "after",
        text,
        `after ${sequence}`,
      ],
    ),
    ["streamWorkEvents", "header", "Last-Event-ID", "abc", `Last-Event-ID ${sequence}`],
    ["listWork", "query", "status", "", "status must be one of working, needs_you, paused, done"],
    ["listWork", "query", "status", "open", "status must be one of working, needs_you, paused, done"],
    ["listWorkApprovals", "query", "status", "working", "status must be one of pending, approved, declined"],
    ["createWork", "header", "Idempotency-Key", "", "Idempotency-Key must not be empty"],
    ["createWork", "header", "Idempotency-Key", "k".repeat(256), "Idempotency-Key must have at most 255 characters"],
    ["resolveWorkAttention", "header", "If-Match", "", "If-Match must not be empty"],
  ])("%s refuses %s %s (%#)", (id, where, name, text, detail) => {
    expect(parameterFault(id, where, name, text)).toBe(detail)
  })

  test("that the operation does not have throws", () => {
    expect(() => parameterFault("getWork", "query", "limit", "1")).toThrow("getWork has no query parameter limit")
    expect(() => parameterFault("getWork", "query", "id", "1")).toThrow(RangeError)
  })
})

test("every keyword that openapi.yaml uses has a sentence", () => {
  const annotations = ["description", "examples", "default", "additionalProperties", "properties", "items"]
  const said = [
    "type",
    "required",
    "enum",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "maxItems",
    "uniqueItems",
    "format",
  ]
  const schemas = resolve(resolve(document["components"], "components")["schemas"], "schemas")
  const properties = Object.values(schemas).flatMap((schema) =>
    Object.values(resolve(resolve(schema, "schema")["properties"] ?? {}, "properties")),
  )
  const rules = [...Object.values(schemas), ...properties].flatMap((schema) => Object.keys(resolve(schema, "schema")))
  expect([...new Set(rules)].filter((rule) => !annotations.includes(rule) && !said.includes(rule))).toEqual([])
})
