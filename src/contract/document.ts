/** openapi.yaml as the server reads it: the 13 operations and their schemas. The compiler checks openapi.json, the copy, against the types below. */
import openapi from "./openapi.json" with { type: "json" }
import type { OperationId } from "./resources.ts"

/** An object of openapi.yaml, such as a schema. */
export type DocumentObject = { readonly [name: string]: unknown }

/** What an operation's successful answer consists of. */
export type SuccessKind = "json" | "event-stream" | "octet-stream"

/** One of the 13 operations of openapi.yaml. */
export type Operation = {
  readonly id: OperationId
  readonly method: "GET" | "POST"
  /** With the names of parameters in braces: `/api/v1/work/{id}`. */
  readonly path: string
  /** The names of its query parameters. */
  readonly query: readonly string[]
  readonly hasBody: boolean
  readonly needsIdempotencyKey: boolean
  readonly needsIfMatch: boolean
  /** The scope that the credential needs: `work:read`. */
  readonly scope: string
  /** The kind of each successful answer, by status. */
  readonly success: Readonly<Record<number, SuccessKind>>
}

/** A parameter in path, query or headers. */
export type Parameter = { readonly name: string; readonly in: string; readonly schema: DocumentObject }

type Reference = { readonly $ref: string }
type WithContent = { readonly content: Readonly<Record<string, { readonly schema?: DocumentObject }>> }

/** What openapi.yaml says about an operation. */
type Description = {
  readonly operationId: string
  readonly security: readonly { readonly serviceAccount: readonly string[] }[]
  readonly parameters?: readonly Reference[]
  readonly requestBody?: WithContent
  readonly responses: Readonly<Record<string, Reference | WithContent>>
}

const SUCCESS_KINDS: ReadonlyMap<string, SuccessKind> = new Map([
  ["application/json", "json"],
  ["text/event-stream", "event-stream"],
  ["application/octet-stream", "octet-stream"],
])

/** openapi.yaml, from the copy that `npm run generate` writes. */
export const document: DocumentObject = openapi

const paths: Readonly<Record<string, { readonly get?: Description; readonly post?: Description }>> = openapi.paths

const described = Object.entries(paths).flatMap(([path, { get, post }]) => [
  { method: "GET" as const, path, description: get },
  { method: "POST" as const, path, description: post },
])

/** The 13 operations. The compiler reports one that is missing here; the start fails for one that openapi.yaml does not describe. */
export const operations: Readonly<Record<OperationId, Operation>> = {
  createInputUpload: readOperation("createInputUpload"),
  getInputUpload: readOperation("getInputUpload"),
  retryInputUploadProcessing: readOperation("retryInputUploadProcessing"),
  listWork: readOperation("listWork"),
  createWork: readOperation("createWork"),
  getWork: readOperation("getWork"),
  streamWorkEvents: readOperation("streamWorkEvents"),
  listWorkAttention: readOperation("listWorkAttention"),
  resolveWorkAttention: readOperation("resolveWorkAttention"),
  listWorkApprovals: readOperation("listWorkApprovals"),
  resolveWorkApproval: readOperation("resolveWorkApproval"),
  listWorkArtifacts: readOperation("listWorkArtifacts"),
  downloadWorkArtifact: readOperation("downloadWorkArtifact"),
}

/** Gives an object of openapi.yaml and follows its `$ref`. @throws TypeError when there is no object */
export function resolve(value: unknown, name: string): DocumentObject {
  if (!isObject(value)) throw new TypeError(`openapi.yaml: ${name} is no object`)
  const { $ref: reference } = value
  if (typeof reference !== "string") return value
  let target: unknown = document
  for (const step of reference.slice("#/".length).split("/")) target = resolve(target, reference)[step]
  return resolve(target, reference)
}

/** What openapi.yaml says about the operation. */
export function describe(id: OperationId): Description {
  return locate(id).description
}

/** The operation's parameters in path, query and headers. */
export function parametersOf(id: OperationId): readonly Parameter[] {
  const { parameters = [] } = describe(id)
  const shared: Readonly<Record<string, Parameter>> = openapi.components.parameters
  return parameters.flatMap(({ $ref }) => shared[$ref.replace("#/components/parameters/", "")] ?? [])
}

/** The media type of a request body or a response, and its schema. Undefined without content. */
export function contentOf(value: unknown, name: string): { mediaType: string; schema?: DocumentObject } | undefined {
  const { content } = resolve(value, name)
  const [entry] = content === undefined ? [] : Object.entries(resolve(content, name))
  if (entry === undefined) return undefined
  const [mediaType, media] = entry
  const { schema } = resolve(media, name)
  return schema === undefined ? { mediaType } : { mediaType, schema: resolve(schema, name) }
}

function locate(id: OperationId) {
  for (const { method, path, description } of described) {
    if (description?.operationId === id) return { method, path, description }
  }
  throw new TypeError(`openapi.yaml: ${id} is not described`)
}

function readOperation(id: OperationId): Operation {
  const { method, path, description } = locate(id)
  const parameters = parametersOf(id)
  const names = (where: string) => parameters.filter((parameter) => parameter.in === where).map(({ name }) => name)
  return {
    id,
    method,
    path,
    query: names("query"),
    hasBody: description.requestBody !== undefined,
    needsIdempotencyKey: names("header").includes("Idempotency-Key"),
    needsIfMatch: names("header").includes("If-Match"),
    scope: description.security[0]?.serviceAccount[0] ?? "",
    success: readSuccess(description),
  }
}

function readSuccess({ responses }: Description): Record<number, SuccessKind> {
  const success: Record<number, SuccessKind> = {}
  for (const [status, response] of Object.entries(responses)) {
    const kind = "content" in response ? SUCCESS_KINDS.get(Object.keys(response.content)[0] ?? "") : undefined
    if (kind !== undefined) success[Number(status)] = kind
  }
  return success
}

function isObject(value: unknown): value is DocumentObject {
  return typeof value === "object" && value !== null
}
