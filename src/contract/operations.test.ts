import { Ajv2020 } from "ajv/dist/2020.js"
import { describe as group, expect, test } from "vitest"
import { operations } from "./operations.ts"
import { contentOf, describe, document, resolve } from "./testing/openapi.ts"
import type { OperationId } from "./resources.ts"

// Written by hand, so that this test fails when openapi.yaml changes an operation.
const TABLE = `
POST /api/v1/uploads                                        createInputUpload          upload:create    200 201 400 401 403 409 422 429
GET  /api/v1/uploads/{id}                                   getInputUpload             upload:create    200 401 403 404 429
POST /api/v1/uploads/{id}/processing/retry                  retryInputUploadProcessing upload:create    202 400 401 403 404 409 429
GET  /api/v1/work                                           listWork                   work:read        200 400 401 403 429
POST /api/v1/work                                           createWork                 work:create      200 201 400 401 403 404 409 422 429 503
GET  /api/v1/work/{id}                                      getWork                    work:read        200 401 403 404 429
GET  /api/v1/work/{id}/events                               streamWorkEvents           work:read        200 400 401 403 404 429
GET  /api/v1/work/{id}/attention                            listWorkAttention          work:guide       200 401 403 404 429
POST /api/v1/work/{id}/attention/{attention_id}/resolve     resolveWorkAttention       work:guide       200 400 401 403 404 409 412 428 429
GET  /api/v1/work/{id}/approvals                            listWorkApprovals          approval:read    200 400 401 403 404 429
POST /api/v1/work/{id}/approvals/{approval_id}/resolve      resolveWorkApproval        approval:resolve 200 400 401 403 404 409 412 428 429
GET  /api/v1/work/{id}/artifacts                            listWorkArtifacts          artifact:read    200 401 403 404 429
GET  /api/v1/work/{id}/artifacts/{artifact_id}/content      downloadWorkArtifact       artifact:read    200 401 403 404 409 422 429
`

const HEADERS: Readonly<Record<OperationId, Readonly<Record<string, readonly string[]>>>> = {
  createInputUpload: { 200: ["Idempotent-Replayed"], 201: [] },
  getInputUpload: { 200: [] },
  retryInputUploadProcessing: { 202: [] },
  listWork: { 200: [] },
  createWork: {
    200: ["ETag", "Location", "Idempotent-Replayed"],
    201: ["ETag", "Location"],
    409: ["Retry-After"],
    503: ["Retry-After"],
  },
  getWork: { 200: ["ETag"] },
  streamWorkEvents: { 200: [] },
  listWorkAttention: { 200: [] },
  resolveWorkAttention: { 200: ["ETag", "Idempotent-Replayed"] },
  listWorkApprovals: { 200: [] },
  resolveWorkApproval: { 200: ["ETag", "Idempotent-Replayed"] },
  listWorkArtifacts: { 200: [] },
  downloadWorkArtifact: { 200: ["ETag", "Content-Disposition"] },
}

const PARAMETERS: Readonly<Record<OperationId, readonly string[]>> = {
  createInputUpload: ["header Idempotency-Key"],
  getInputUpload: ["path id"],
  retryInputUploadProcessing: ["path id", "header Idempotency-Key"],
  listWork: ["query status", "query limit", "query cursor"],
  createWork: ["header Idempotency-Key"],
  getWork: ["path id"],
  streamWorkEvents: ["path id", "query after", "header Last-Event-ID"],
  listWorkAttention: ["path id"],
  resolveWorkAttention: ["path id", "path attention_id", "header If-Match", "header Idempotency-Key"],
  listWorkApprovals: ["path id", "query status"],
  resolveWorkApproval: ["path id", "path approval_id", "header If-Match", "header Idempotency-Key"],
  listWorkArtifacts: ["path id"],
  downloadWorkArtifact: ["path id", "path artifact_id"],
}

// Copied by hand from the section "Resources and their fields": what is required, then what is not.
const FIELDS: Readonly<Record<string, readonly [required: string, optional: string]>> = {
  CreateWorkRequest: [
    "colleague_id objective",
    "title visibility_scope active_execution_limit_seconds priority due_at input_upload_ids",
  ],
  CreateInputUploadRequest: ["name media_type content", ""],
  InputUpload: [
    "id name media_type size content_hash status expires_at created_at",
    "processing_state failure_code retryable detected_type work_id",
  ],
  Work: [
    "id title objective status colleague_id human_owner_id visibility_scope priority version created_by created_at updated_at",
    "due_at current_attention_id attention_question completion_summary",
  ],
  WorkList: ["data", "next_cursor"],
  Attention: [
    "id work_id kind source_id title what_happened why_needed recommended_action consequences status version created_at",
    "resolved_at resolved_by resolution",
  ],
  AttentionList: ["data", ""],
  ResolveAttentionRequest: ["response", ""],
  Approval: [
    "id work_id action_id requested_by_colleague summary risk destination subject body proposed_action_payload_hash policy_reason status version created_at",
    "resolved_at resolution_actor resolution_comment",
  ],
  ApprovalList: ["data", ""],
  ResolveApprovalRequest: ["decision", "comment"],
  Artifact: ["id work_id path media_type size content_hash version created_at", "processing_state failure_code"],
  ArtifactList: ["data", ""],
  Problem: ["type title status detail instance code request_id retryable", "failure_code"],
}

const ENUMERATIONS = {
  WorkStatus: ["working", "needs_you", "paused", "done"],
  WorkPriority: ["low", "normal", "high", "urgent"],
  VisibilityScope: ["private", "team", "organization"],
  ApprovalStatus: ["pending", "approved", "declined"],
  ProcessingState: ["processing", "available", "quarantined", "scan_failed", "failed", "expired"],
}

const all = Object.values(operations)
const schemas = resolve(resolve(document["components"], "components")["schemas"], "schemas")

function responsesOf(id: OperationId): [status: string, response: unknown][] {
  return Object.entries(resolve(describe(id)["responses"], id))
}

function headersOf(response: unknown): string[] {
  return Object.keys(resolve(resolve(response, "response")["headers"] ?? {}, "headers"))
}

const words = (text: string) => text.split(" ").filter((word) => word !== "")

test("the document is OpenAPI 3.1.1 and describes version 1.1.0 (section Versioning)", () => {
  expect(document).toMatchObject({ openapi: "3.1.1", info: { version: "1.1.0" } })
})

test("the document describes the API's 13 operations and no other", () => {
  const rows = TABLE.trim()
    .split("\n")
    .map((row) => row.replace(/\s+/g, " "))
  const described = all.map(({ id, method, path, scope }) =>
    [method, path, id, scope, ...responsesOf(id).map(([status]) => status)].join(" "),
  )
  expect(rows).toHaveLength(13)
  expect(described).toEqual(rows)
  const paths = Object.values(resolve(document["paths"], "paths"))
  expect(paths.flatMap((item) => Object.keys(resolve(item, "path")))).toHaveLength(13)
})

group.each(all)("$id", ({ id, needsIdempotencyKey, needsIfMatch, method, query, hasBody, path }) => {
  test("takes the API's parameters", () => {
    const parameters = operations[id].parameters
    expect(parameters.map((parameter) => `${parameter.in} ${parameter.name}`)).toEqual(PARAMETERS[id])
    const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => `{${name}}`)
    expect(path.match(/\{\w+\}/g) ?? []).toEqual(inPath)
    expect(query).toEqual(parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name))
    expect(needsIfMatch).toBe(PARAMETERS[id].includes("header If-Match"))
  })

  test("takes an idempotency key exactly when it changes something", () => {
    expect(needsIdempotencyKey).toBe(method === "POST")
    expect(hasBody).toBe(method === "POST" && id !== "retryInputUploadProcessing")
  })

  test("answers with the API's headers, and errors with a Problem", () => {
    for (const [status, response] of responsesOf(id)) {
      const expected = status === "429" ? ["Retry-After", "RateLimit-Policy", "RateLimit"] : (HEADERS[id][status] ?? [])
      expect(headersOf(response), status).toEqual(expected)
      if (Number(status) < 400) continue
      expect(contentOf(response, status), status).toEqual({
        mediaType: "application/problem+json",
        schema: schemas["Problem"],
      })
    }
  })
})

test("every success is JSON except a stream and a download", () => {
  const others = all.filter(({ success }) => Object.values(success).some((kind) => kind !== "json"))
  expect(others.map(({ id, success }) => [id, success])).toEqual([
    ["streamWorkEvents", { 200: "event-stream" }],
    ["downloadWorkArtifact", { 200: "octet-stream" }],
  ])
  expect(operations.createWork.success).toEqual({ 200: "json", 201: "json" })
  expect(operations.retryInputUploadProcessing.success).toEqual({ 202: "json" })
})

test.each(Object.entries(FIELDS))("%s has the API's fields and is closed", (name, [required, optional]) => {
  const schema = resolve(schemas[name], name)
  expect(schema["additionalProperties"]).toBe(false)
  expect(schema["required"]).toEqual(words(required))
  expect(Object.keys(resolve(schema["properties"], name)).sort()).toEqual(
    [...words(required), ...words(optional)].sort(),
  )
})

test.each(Object.entries(ENUMERATIONS))("%s has the API's values", (name, values) => {
  expect(resolve(schemas[name], name)["enum"]).toEqual(values)
})

// The validator relies on this test: it compiles the schemas without a look at their form.
test("every schema is JSON Schema", () => {
  const ajv = new Ajv2020()
  for (const [name, schema] of Object.entries(schemas)) {
    if (typeof schema !== "object" || schema === null) throw new TypeError(`${name} is no object`)
    expect(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`).toBe(true)
  }
  expect(ajv.validateSchema({ properties: { title: { maxLength: "long" } } })).toBe(false)
})

test("there is no other schema", () => {
  expect(Object.keys(schemas).sort()).toEqual([...Object.keys(FIELDS), ...Object.keys(ENUMERATIONS)].sort())
})
