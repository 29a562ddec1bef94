import { describe, expect, test } from "vitest"
import type { OperationId } from "../../contract/resources.ts"
import { validateResponse } from "./validation.ts"

const dateTime = "must be a date and time with its offset, such as 2026-11-20T12:00:00Z"

describe("an answer", () => {
  const moment = "2026-11-20T12:00:00.000Z"
  const artifact = {
    id: "art_1",
    work_id: "wrk_1",
    path: "report.md",
    media_type: "text/markdown",
    size: 0n,
    content_hash: "sha256:0",
    version: 9_007_199_254_740_993n,
    created_at: moment,
  }
  const problem = {
    type: "about:blank",
    title: "Not found",
    status: 404,
    detail: "There is no such Work.",
    instance: "/api/v1/work/1",
    code: "NOT_FOUND",
    request_id: "req_1",
    retryable: false,
  }

  test("that is valid is accepted, with int64 as bigint or number", () => {
    expect(validateResponse("listWorkArtifacts", 200, { data: [artifact] })).toEqual([])
    expect(validateResponse("listWorkArtifacts", 200, { data: [{ ...artifact, size: 7, version: 1 }] })).toEqual([])
    expect(validateResponse("getWork", 404, problem)).toEqual([])
    expect(validateResponse("createWork", 409, { ...problem, failure_code: "malware_detected" })).toEqual([])
  })

  test.each<[OperationId, number, unknown, string, string]>([
    ["listWorkArtifacts", 200, undefined, "body", "The body must be an object"],
    ["listWorkArtifacts", 200, { data: [artifact], total: 1 }, "total", "total is not a known property"],
    [
      "listWorkArtifacts",
      200,
      { data: [{ ...artifact, url: "/" }] },
      "data[0].url",
      "data[0].url is not a known property",
    ],
    ["listWorkArtifacts", 200, { data: [artifact, {}] }, "data[1].id", "data[1].id is required"],
    [
      "listWorkArtifacts",
      200,
      { data: [{ ...artifact, version: 0n }] },
      "data[0].version",
      "data[0].version must be a whole number between 1 and 9223372036854775807",
    ],
    [
      "listWorkArtifacts",
      200,
      { data: [{ ...artifact, size: 2n ** 63n }] },
      "data[0].size",
      "data[0].size must be a whole number between 0 and 9223372036854775807",
    ],
    [
      "listWorkArtifacts",
      200,
      { data: [{ ...artifact, created_at: "today" }] },
      "data[0].created_at",
      `data[0].created_at ${dateTime}`,
    ],
    ["listWorkAttention", 200, { data: [{ kind: "question" }] }, "data[0].id", "data[0].id is required"],
    ["getWork", 404, { ...problem, retryable: "no" }, "retryable", "retryable must be a boolean"],
    ["getWork", 404, { ...problem, status: 404.5 }, "status", "status must be a whole number"],
    ["getWork", 404, { ...problem, trace: "…" }, "trace", "trace is not a known property"],
    ["getWork", 409, problem, "status", "getWork does not answer with status 409"],
  ])("%s %i that is not valid is refused (%#)", (id, status, body, field, detail) => {
    expect(validateResponse(id, status, body)).toEqual([{ field, detail }])
  })

  test("that is a stream or a download is not validated, but its Problem is", () => {
    expect(validateResponse("streamWorkEvents", 200, undefined)).toEqual([])
    expect(validateResponse("downloadWorkArtifact", 200, new Uint8Array(1))).toEqual([])
    expect(validateResponse("downloadWorkArtifact", 422, {})).toHaveLength(1)
  })
})
