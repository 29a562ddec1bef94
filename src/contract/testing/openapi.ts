/** openapi.yaml as the tests read it: whole, with its references. */
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { operations } from "../operations.ts"
import type { DocumentObject } from "../operation.ts"
import type { OperationId } from "../resources.ts"

const parsed: unknown = parse(readFileSync(new URL("../openapi.yaml", import.meta.url), "utf8"))

export const document = resolve(parsed, "the document")

/** Returns an object of openapi.yaml and follows its `$ref`. @throws TypeError when there is no object */
export function resolve(value: unknown, name: string): DocumentObject {
  if (!isObject(value)) throw new TypeError(`openapi.yaml: ${name} is no object`)
  const { $ref: reference } = value
  if (typeof reference !== "string") return value
  let target: unknown = document
  for (const step of reference.slice("#/".length).split("/")) target = resolve(target, reference)[step]
  return resolve(target, reference)
}

/** What openapi.yaml says about the operation. */
export function describe(id: OperationId): DocumentObject {
  const { method, path } = operations[id]
  return resolve(resolve(resolve(document["paths"], "paths")[path], path)[method.toLowerCase()], id)
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

function isObject(value: unknown): value is DocumentObject {
  return typeof value === "object" && value !== null
}
