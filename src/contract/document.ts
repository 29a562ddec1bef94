import openapi from "./openapi.json" with { type: "json" }
import type { OperationId } from "./resources.ts"

/** An object of openapi.yaml. Each member is checked before its use. */
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

/** A parameter of openapi.yaml. References are followed. */
export type Parameter = { readonly name: string; readonly where: string; readonly schema: DocumentObject }

const METHODS = { get: "GET", post: "POST" } as const

const SUCCESS_KINDS: ReadonlyMap<string, SuccessKind> = new Map([
  ["application/json", "json"],
  ["text/event-stream", "event-stream"],
  ["application/octet-stream", "octet-stream"],
])

/** openapi.yaml, from the copy that `npm run generate` writes. */
export const document: DocumentObject = openapi

const locations = findOperations()

/**
 * The 13 operations, written out. The compiler reports an operation that is missing here. The start fails for an operation that
 * openapi.yaml does not describe.
 */
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

/** Gives `value` as an object and follows its `$ref`. `name` is for the error. @throws TypeError when it is no object */
export function resolve(value: unknown, name: string): DocumentObject {
  const object = asObject(value, name)
  const reference = object["$ref"]
  if (typeof reference !== "string") return object
  let target: unknown = document
  for (const step of reference.slice("#/".length).split("/")) target = asObject(target, reference)[step]
  return resolve(target, reference)
}

/** The object that describes the operation in openapi.yaml. */
export function describe(id: OperationId): DocumentObject {
  return locate(id).description
}

/** The operation's parameters in path, query and headers. */
export function parametersOf(id: OperationId): readonly Parameter[] {
  const parameters = describe(id)["parameters"] ?? []
  if (!Array.isArray(parameters)) throw new TypeError(`openapi.yaml: the parameters of ${id} are no list`)
  return parameters.map((item: unknown) => {
    const parameter = resolve(item, `a parameter of ${id}`)
    return {
      name: asText(parameter["name"], `the name of a parameter of ${id}`),
      where: asText(parameter["in"], `the place of a parameter of ${id}`),
      schema: resolve(parameter["schema"], `the schema of a parameter of ${id}`),
    }
  })
}

/** The media type of a request body or a response, and the schema if there is one. Undefined when the value has no content. */
export function contentOf(value: unknown, name: string): { mediaType: string; schema?: DocumentObject } | undefined {
  const content = resolve(value, name)["content"]
  if (content === undefined) return undefined
  const [entry] = Object.entries(asObject(content, name))
  if (entry === undefined) return undefined
  const [mediaType, media] = entry
  const schema = asObject(media, name)["schema"]
  return schema === undefined ? { mediaType } : { mediaType, schema: resolve(schema, name) }
}

function findOperations() {
  const byId = new Map<string, { method: "GET" | "POST"; path: string; description: DocumentObject }>()
  for (const [path, item] of Object.entries(asObject(document["paths"], "paths"))) {
    for (const [key, method] of Object.entries(METHODS)) {
      const operation = asObject(item, path)[key]
      if (operation === undefined) continue
      const description = asObject(operation, path)
      byId.set(asText(description["operationId"], `the operationId of ${path}`), { method, path, description })
    }
  }
  return byId
}

function locate(id: OperationId) {
  const location = locations.get(id)
  if (location === undefined) throw new TypeError(`openapi.yaml: ${id} is not described`)
  return location
}

function readOperation(id: OperationId): Operation {
  const { method, path, description } = locate(id)
  const parameters = parametersOf(id)
  const has = (name: string) => parameters.some((parameter) => parameter.where === "header" && parameter.name === name)
  return {
    id,
    method,
    path,
    query: parameters.filter((parameter) => parameter.where === "query").map((parameter) => parameter.name),
    hasBody: description["requestBody"] !== undefined,
    needsIdempotencyKey: has("Idempotency-Key"),
    needsIfMatch: has("If-Match"),
    scope: readScope(id, description),
    success: readSuccess(id, description),
  }
}

/** The operation's scope: `security` of openapi.yaml lists one for each operation. */
function readScope(id: OperationId, description: DocumentObject): string {
  const requirements: unknown = description["security"]
  const requirement: unknown = Array.isArray(requirements) ? requirements[0] : undefined
  const scopes = asObject(requirement, `the security of ${id}`)["serviceAccount"]
  return asText(Array.isArray(scopes) ? scopes[0] : undefined, `the scope of ${id}`)
}

function readSuccess(id: OperationId, description: DocumentObject): Record<number, SuccessKind> {
  const success: Record<number, SuccessKind> = {}
  for (const [status, response] of Object.entries(asObject(description["responses"], `the responses of ${id}`))) {
    const kind = SUCCESS_KINDS.get(contentOf(response, `${id} ${status}`)?.mediaType ?? "")
    if (kind !== undefined) success[Number(status)] = kind
  }
  return success
}

function asObject(value: unknown, name: string): DocumentObject {
  if (!isDocumentObject(value)) throw new TypeError(`openapi.yaml: ${name} is no object`)
  return value
}

function isDocumentObject(value: unknown): value is DocumentObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function asText(value: unknown, name: string): string {
  if (typeof value !== "string") throw new TypeError(`openapi.yaml: ${name} is no text`)
  return value
}
