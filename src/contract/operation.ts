/** The type of an operation of the API, as the generated table has it. */
import type { OperationId } from "./resources.ts"

/** An object of openapi.yaml, such as a schema, without references. */
export type DocumentObject = { readonly [name: string]: unknown }

/** What an operation's successful answer consists of. */
export type SuccessKind = "json" | "event-stream" | "octet-stream"

/** A parameter in path, query or headers. */
export type Parameter = {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: DocumentObject
}

/** One of the 13 operations of openapi.yaml. `npm run generate` writes them to `operations.ts`. */
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
  readonly parameters: readonly Parameter[]
  /** The schema of the request body. */
  readonly body?: DocumentObject
}

/** The names of the members that the body of a request may have. */
export function membersOf({ body }: Operation): readonly string[] {
  const properties = body?.["properties"]
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : []
}
