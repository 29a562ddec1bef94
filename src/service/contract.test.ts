import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { operations } from "../contract/operations.ts"
import { contentOf, describe as describeOperation, document, resolve } from "../contract/testing/openapi.ts"
import { isProblem } from "../contract/problem.ts"
import type { OperationId } from "../contract/resources.ts"
import { EICAR } from "./demonstration.ts"
import { type Answer, call, type Call, newKey, open } from "./testing/client.ts"
import { ALICE, NOBODY, startTestService, type TestService } from "./testing/test-service.ts"
import { schemaFault } from "./validation.ts"

// Sends a request for every status that the contract lists for each operation, and compares each answer with the contract.

type SendRequest = () => Promise<Answer>
type Request = { target: string; body?: unknown; ifMatch?: string }

const UNKNOWN = "no-such-id"
const CSV = "city,people\nOslo,7\nRoma,28\nOslo,7\n"

let service: TestService
/** A service whose quotas are 0. */
let exhausted: TestService
/** A service without room for Work. */
let crowded: TestService
/** A service whose scans do not end during the tests. */
let slow: TestService

let upload: string
let failedUpload: string
let waiting: string
let attention: string
let pending: string
let approval: string
let finished: string
let artifact: string
let quarantining: string
let blocked: string

beforeAll(async () => {
  service = await startTestService()
  exhausted = await startTestService({ configuration: { limits: { readPerMinute: 0, writePerMinute: 0 } } })
  crowded = await startTestService({ configuration: { limits: { activeWork: 0 } } })
  slow = await startTestService({ configuration: { pace: 1000 } })
  upload = await service.upload("cities.csv", CSV)
  failedUpload = await service.upload("stale-signatures.csv", CSV)
  waiting = await service.work()
  attention = await service.first(waiting, "attention")
  pending = await service.work({ input_upload_ids: [await service.upload("cities.csv", CSV)] })
  await service.answer(pending)
  approval = await service.first(pending, "approvals")
  const finish = async (objective: string) => {
    const id = await service.work({ objective, input_upload_ids: [await service.upload("cities.csv", CSV)] })
    await service.answer(id)
    await service.decide(id, "approve")
    await service.until(id, "done")
    return id
  }
  finished = await finish("Profile")
  artifact = await service.first(finished, "artifacts")
  quarantining = await finish("Profile artifact:quarantine")
  blocked = await finish("Profile artifact:block")
})

afterAll(() => Promise.all([service, exhausted, crowded, slow].map((running) => running.stop())))

const work = { colleague_id: "analyst", objective: "Profile" }
const file = { name: "cities.csv", media_type: "text/csv", content: CSV }

/** A request for each operation that would succeed with an Idempotency-Key. */
const valid: Record<OperationId, () => Request> = {
  createInputUpload: () => ({ target: "/api/v1/uploads", body: file }),
  getInputUpload: () => ({ target: `/api/v1/uploads/${upload}` }),
  retryInputUploadProcessing: () => ({ target: `/api/v1/uploads/${failedUpload}/processing/retry` }),
  listWork: () => ({ target: "/api/v1/work" }),
  createWork: () => ({ target: "/api/v1/work", body: work }),
  getWork: () => ({ target: `/api/v1/work/${waiting}` }),
  streamWorkEvents: () => ({ target: `/api/v1/work/${waiting}/events` }),
  listWorkAttention: () => ({ target: `/api/v1/work/${waiting}/attention` }),
  resolveWorkAttention: () => ({
    target: `/api/v1/work/${waiting}/attention/${attention}/resolve`,
    body: { response: "Oslo" },
    ifMatch: '"1"',
  }),
  listWorkApprovals: () => ({ target: `/api/v1/work/${pending}/approvals` }),
  resolveWorkApproval: () => ({
    target: `/api/v1/work/${pending}/approvals/${approval}/resolve`,
    body: { decision: "approve" },
    ifMatch: '"1"',
  }),
  listWorkArtifacts: () => ({ target: `/api/v1/work/${finished}/artifacts` }),
  downloadWorkArtifact: () => ({ target: `/api/v1/work/${finished}/artifacts/${artifact}/content` }),
}

function send(id: OperationId, changes: Call & { target?: string } = {}, to = service): Promise<Answer> {
  const { method, needsIdempotencyKey } = operations[id]
  const { target, ...request } = valid[id]()
  const key = needsIdempotencyKey ? { key: newKey() } : {}
  const options = { token: ALICE, ...key, ...request, ...changes }
  return call(to.url, method, changes.target ?? target, options)
}

/** Opens the stream and returns its headers and first frame as the answer. */
async function stream(): Promise<Answer> {
  const response = await open(service.url, "GET", valid.streamWorkEvents().target, { token: ALICE })
  let text = ""
  for await (const chunk of response) {
    text += String(chunk)
    if (text.includes("\n\n")) break
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes: Buffer.from(text),
    text,
    body: undefined,
  }
}

/** The answers to a request and to its exact retry. */
async function twice(id: OperationId, changes: Call & { target?: string } = {}): Promise<[Answer, Answer]> {
  const key = newKey()
  return [await send(id, { ...changes, key }), await send(id, { ...changes, key })]
}

async function conflicting(id: OperationId, body: unknown, other: unknown): Promise<Answer> {
  const key = newKey()
  await send(id, { key, body })
  return send(id, { key, body: other })
}

/** A Work of its own whose approval is pending. */
async function askedForApproval(): Promise<string> {
  const id = await service.work()
  await service.answer(id)
  await service.first(id, "approvals?status=pending")
  return id
}

const attach = (ids: string[]) => send("createWork", { body: { ...work, input_upload_ids: ids } })

/** The requests for the statuses that differ between operations. `requestFor` has those of 401, 403, 404 and 429. */
const ownStatuses: Record<OperationId, Record<number, SendRequest>> = {
  createInputUpload: {
    200: async () => (await twice("createInputUpload"))[1],
    201: () => send("createInputUpload"),
    400: () => send("createInputUpload", { body: { ...file, surprise: true } }),
    409: () => conflicting("createInputUpload", file, { ...file, name: "other.csv" }),
    422: () => send("createInputUpload", { body: { ...file, content: "policy:block" } }),
  },
  getInputUpload: { 200: () => send("getInputUpload") },
  retryInputUploadProcessing: {
    202: async () => {
      const id = await service.upload("stale-signatures.csv", CSV)
      return send("retryInputUploadProcessing", { target: `/api/v1/uploads/${id}/processing/retry` })
    },
    400: () => send("retryInputUploadProcessing", { key: "k".repeat(256) }),
    409: () => send("retryInputUploadProcessing", { target: `/api/v1/uploads/${upload}/processing/retry` }),
  },
  listWork: { 200: () => send("listWork"), 400: () => send("listWork", { target: "/api/v1/work?limit=0" }) },
  createWork: {
    200: async () => (await twice("createWork"))[1],
    201: () => send("createWork"),
    400: () => send("createWork", { body: { ...work, priority: "asap" } }),
    409: async () => attach([await service.upload("stale-signatures.csv", CSV)]),
    422: () => send("createWork", { body: { ...work, objective: "policy:block" } }),
    503: () => send("createWork", {}, crowded),
  },
  getWork: { 200: () => send("getWork") },
  streamWorkEvents: {
    200: stream,
    400: () => send("streamWorkEvents", { target: `/api/v1/work/${waiting}/events?after=-1` }),
  },
  listWorkAttention: { 200: () => send("listWorkAttention") },
  resolveWorkAttention: {
    200: () => service.work().then((id) => service.answer(id)),
    400: () => send("resolveWorkAttention", { ifMatch: "1" }),
    409: async () => {
      const id = await service.work()
      const item = await service.first(id, "attention")
      await service.answer(id)
      const target = `/api/v1/work/${id}/attention/${item}/resolve`
      return send("resolveWorkAttention", { target, ifMatch: '"2"' })
    },
    412: () => send("resolveWorkAttention", { ifMatch: '"7"' }),
    428: () => service.post(valid.resolveWorkAttention().target, { response: "Oslo" }),
  },
  listWorkApprovals: {
    200: () => send("listWorkApprovals"),
    400: () => send("listWorkApprovals", { target: `/api/v1/work/${pending}/approvals?status=maybe` }),
  },
  resolveWorkApproval: {
    200: async () => service.decide(await askedForApproval(), "approve"),
    400: () => send("resolveWorkApproval", { body: { decision: "perhaps" } }),
    409: async () => {
      const id = await askedForApproval()
      const item = await service.first(id, "approvals")
      await service.decide(id, "approve")
      return send("resolveWorkApproval", { target: `/api/v1/work/${id}/approvals/${item}/resolve`, ifMatch: '"2"' })
    },
    412: () => send("resolveWorkApproval", { ifMatch: '"7"' }),
    428: () => service.post(valid.resolveWorkApproval().target, { decision: "approve" }),
  },
  listWorkArtifacts: { 200: () => send("listWorkArtifacts") },
  downloadWorkArtifact: {
    200: () => send("downloadWorkArtifact"),
    409: async () => {
      const id = await service.first(quarantining, "artifacts")
      return service.get(`/api/v1/work/${quarantining}/artifacts/${id}/content`)
    },
    422: async () => {
      const id = await service.first(blocked, "artifacts")
      return service.get(`/api/v1/work/${blocked}/artifacts/${id}/content`)
    },
  },
}

function requestFor(id: OperationId, status: number): SendRequest | undefined {
  switch (status) {
    case 401:
      return () => send(id, { headers: { authorization: "Bearer wrong" } })
    case 403:
      return () => send(id, { token: NOBODY })
    case 404:
      return id === "createWork"
        ? () => send(id, { body: { ...work, colleague_id: UNKNOWN } })
        : () => send(id, { target: operations[id].path.replaceAll(/\{\w+\}/g, UNKNOWN) })
    case 429:
      return () => send(id, {}, exhausted)
    default:
      return ownStatuses[id][status]
  }
}

const ids = Object.values(operations).map(({ id }) => id)
const pairs = ids.flatMap((id) => {
  const responses = describeOperation(id)["responses"]
  return Object.keys(responses ?? {}).map((status) => ({ id, status: Number(status) }))
})

/** What is wrong with the body of an answer by openapi.yaml. The body of a stream or a download is not validated. */
function answerFault(id: OperationId, status: number, body: unknown): string | undefined {
  const responses = resolve(describeOperation(id)["responses"], id)
  const content = contentOf(responses[status], `${id} ${status}`)
  if (content?.schema === undefined || !content.mediaType.endsWith("json")) return undefined
  // The references of a schema begin at the root of the document.
  return schemaFault({ ...content.schema, components: document["components"] }, body, "The body")
}

describe("every operation in every status that openapi.yaml names", () => {
  test("are 87 pairs", () => expect(pairs).toHaveLength(87))

  test.each(pairs)("$id $status", async ({ id, status }) => {
    const answer = await requestFor(id, status)?.()
    expect(answer?.status, answer?.text).toBe(status)
    expect(answerFault(id, status, answer?.body)).toBeUndefined()
    if (status < 400) return
    expect(answer?.headers["content-type"]).toBe("application/problem+json")
    expect(answer?.body).toSatisfy(isProblem)
    expect(answer?.body).toMatchObject({ status, instance: expect.stringMatching(/^\/api\/v1\//) })
  })
})

describe("the headers that belong to a status", () => {
  test("a new Work and its replay have the Work's address and version", async () => {
    const [first, second] = await twice("createWork")
    expect(first.headers).toMatchObject({ etag: '"1"', location: expect.stringMatching(/^\/api\/v1\/work\/[^/]+$/) })
    expect(first.headers["idempotent-replayed"]).toBeUndefined()
    expect(second.headers).toMatchObject({
      etag: first.headers.etag,
      location: first.headers.location,
      "idempotent-replayed": "true",
    })
    expect(second.text).toBe(first.text)
  })

  test("401 has a WWW-Authenticate header", async () => {
    expect((await send("getWork", { headers: { authorization: "" } })).headers["www-authenticate"]).toBe("Bearer")
  })

  test("429 and 503 have a Retry-After", async () => {
    const limited = await send("getWork", {}, exhausted)
    expect(limited.headers).toMatchObject({
      "retry-after": expect.stringMatching(/^\d+$/),
      "ratelimit-policy": '"read";q=0;w=60',
      ratelimit: expect.stringMatching(/^"read";r=0;t=\d+$/),
    })
    expect((await send("createWork", {}, crowded)).headers["retry-after"]).toMatch(/^\d+$/)
  })

  test("an input that is being scanned has a Retry-After, and an input that failed has a failure code", async () => {
    const scanning = await slow.upload("cities.csv", CSV)
    const notReady = await send("createWork", { body: { ...work, input_upload_ids: [scanning] } }, slow)
    expect(notReady).toMatchObject({ status: 409, body: { code: "INPUT_NOT_READY", retryable: true } })
    expect(notReady.headers["retry-after"]).toMatch(/^\d+$/)
    const infected = await attach([await service.upload("virus.txt", `x${EICAR}`, "text/plain")])
    expect(infected.body).toMatchObject({
      code: "INPUT_SCAN_FAILED",
      failure_code: "malware_detected",
      retryable: false,
    })
  })
})
