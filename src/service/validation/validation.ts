import {
  contentOf,
  describe,
  type DocumentObject,
  type Parameter,
  parametersOf,
  resolve,
} from "../../contract/document.ts"
import { parseInt64 } from "../../contract/int64.ts"
import { isWithin, rangeOf, sayRange } from "./integer-range.ts"
import { countBytes, UPLOAD_MAX_BYTES } from "../../contract/limits.ts"
import type { OperationId } from "../../contract/resources.ts"
import { validateAgainst, type ValidationFailure } from "./schema-validator.ts"

export type { ValidationFailure } from "./schema-validator.ts"

type OperationSchemas = {
  readonly parameters: readonly Parameter[]
  readonly requestBody: DocumentObject | undefined
  /** The schema of each answer by status. Undefined when the body is not JSON. */
  readonly responses: ReadonlyMap<number, DocumentObject | undefined>
}

const BODY = "The body"

const schemasById = new Map<OperationId, OperationSchemas>()

/**
 * Validates the body of a request, as parseJson gives the body. Undefined means that there is no body.
 * Gives the first failure, or an empty list.
 */
export function validateRequestBody(id: OperationId, value: unknown): ValidationFailure[] {
  const schema = schemasOf(id).requestBody
  if (schema === undefined) return value === undefined ? [] : [{ field: "body", detail: `${BODY} must be left out` }]
  if (value === undefined) return [{ field: "body", detail: `${BODY} is required` }]
  const failures = validateAgainst(schema, value, "body", BODY)
  return failures.length === 0 && id === "createInputUpload" ? validateContentBytes(value) : failures
}

/**
 * Validates one parameter of a request: a path segment or query value after percent-decoding, or the text of a header.
 * An integer must be decimal digits without sign, leading zeros, exponent or spaces. Gives the first failure, or an empty list.
 * @throws RangeError when the operation has no such parameter
 */
export function validateParameter(
  id: OperationId,
  where: "path" | "query" | "header",
  name: string,
  rawText: string,
): ValidationFailure[] {
  const parameter = schemasOf(id).parameters.find((item) => item.where === where && isNamed(item, name))
  if (parameter === undefined) throw new RangeError(`${id} has no ${where} parameter ${name}`)
  const { schema } = parameter
  if (schema["type"] !== "integer") return validateAgainst(schema, rawText, parameter.name, parameter.name)
  const range = rangeOf(schema)
  if (isWithin(range, parseInt64(rawText))) return []
  return [{ field: parameter.name, detail: `${parameter.name} must be ${sayRange(range)}` }]
}

/**
 * Validates the body of an answer, as parseJson gives the body, against the operation's answer of this status. A status that
 * openapi.yaml does not list for the operation is a failure. The body of a stream or a download is not validated.
 */
export function validateResponse(id: OperationId, status: number, body: unknown): ValidationFailure[] {
  const { responses } = schemasOf(id)
  if (!responses.has(status)) return [{ field: "status", detail: `${id} does not answer with status ${status}` }]
  const schema = responses.get(status)
  return schema === undefined ? [] : validateAgainst(schema, body, "body", BODY)
}

function schemasOf(id: OperationId): OperationSchemas {
  const schemas = schemasById.get(id) ?? readSchemas(id)
  schemasById.set(id, schemas)
  return schemas
}

function readSchemas(id: OperationId): OperationSchemas {
  const { requestBody, responses } = describe(id)
  const byStatus = Object.entries(resolve(responses, `the responses of ${id}`)).map(([status, response]) => {
    const content = contentOf(response, `${id} ${status}`)
    return [Number(status), content?.mediaType.endsWith("json") ? content.schema : undefined] as const
  })
  return {
    parameters: parametersOf(id),
    requestBody: requestBody === undefined ? undefined : contentOf(requestBody, `the body of ${id}`)?.schema,
    responses: new Map(byStatus),
  }
}

/** createInputUpload limits `content` in bytes. JSON Schema counts characters only. */
function validateContentBytes(value: unknown): ValidationFailure[] {
  const content: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "content") : undefined
  if (typeof content !== "string" || countBytes(content) <= UPLOAD_MAX_BYTES) return []
  return [{ field: "content", detail: `content must have at most ${UPLOAD_MAX_BYTES} bytes in UTF-8` }]
}

/** RFC 9110, section 5.1: the names of headers are case-insensitive. */
function isNamed({ where, name }: Parameter, wanted: string): boolean {
  return where === "header" ? name.toLowerCase() === wanted.toLowerCase() : name === wanted
}
