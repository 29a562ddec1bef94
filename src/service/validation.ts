/** Validates bodies and parameters against openapi.yaml. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import { operations } from "../contract/operations.ts"
import { isCalendarDay } from "../platform/calendar-day.ts"
import type { DocumentObject, Parameter } from "../contract/operation.ts"
import { MAX_INT64, parseInt64, stringifyJson } from "../contract/int64.ts"
import { countBytes, countCharacters, UPLOAD_MAX_BYTES } from "../contract/limits.ts"
import type { OperationId } from "../contract/resources.ts"

const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

// A client chooses the names of unknown properties, so a name can be as long as the body.
const NAME_MAX_CHARACTERS = 80

// Without `allErrors`: a body of 1 MiB can have 100,000 failures, and a Problem names only the first.
// Without `validateSchema`: operations.test.ts holds the schemas against JSON Schema, which would take a tenth of a second at each start.
const ajv = new Ajv2020({ strict: false, validateSchema: false, verbose: true })
ajv.addFormat("int64", true)
ajv.addFormat("date-time", isDateTime)

const compiled = new WeakMap<DocumentObject, ValidateFunction>()

/** The first failure of a request's body, as a sentence for a person. Undefined: the body is valid. Without a body `value` is undefined. */
export function bodyFault(id: OperationId, value: unknown): string | undefined {
  const { body: schema } = operations[id]
  if (schema === undefined) return value === undefined ? undefined : "This operation accepts no body"
  if (value === undefined) return "The body is required"
  return schemaFault(schema, value, "The body") ?? (id === "createInputUpload" ? contentFault(value) : undefined)
}

/**
 * The failure of one parameter, as a sentence for a person: of a query value after percent-decoding, or of a header. Undefined: it is valid. An
 * integer must be decimal digits without sign, leading zeros, exponent or spaces. @throws RangeError when the operation has no such parameter
 */
export function parameterFault(
  id: OperationId,
  where: "query" | "header",
  name: string,
  rawText: string,
): string | undefined {
  const parameter = operations[id].parameters.find((item) => item.in === where && isNamed(item, name))
  if (parameter === undefined) throw new RangeError(`${id} has no ${where} parameter ${name}`)
  const { schema } = parameter
  if (schema["type"] !== "integer") return schemaFault(schema, rawText, parameter.name)
  const { minimum, maximum } = rangeOf(schema)
  const value = parseInt64(rawText)
  if (value !== undefined && minimum <= value && value <= maximum) return undefined
  return `${parameter.name} must be ${formatRange(schema)}`
}

/** The first failure of a value by a schema without references. Its subject is the failing member, or `subject` for the whole value. */
export function schemaFault(schema: DocumentObject, value: unknown, subject: string): string | undefined {
  let validate = compiled.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(schema)
    compiled.set(schema, validate)
  }
  // Ajv accepts no bigint as an integer.
  if (validate(JSON.parse(stringifyJson(value)))) return undefined
  const [error] = validate.errors ?? []
  return error && `${readPath(error) || subject} ${formatViolation(error)}`
}

/** createInputUpload limits `content` in bytes. JSON Schema counts characters only. */
function contentFault(value: unknown): string | undefined {
  const content: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "content") : undefined
  if (typeof content !== "string" || countBytes(content) <= UPLOAD_MAX_BYTES) return undefined
  return `content must have at most ${UPLOAD_MAX_BYTES} bytes in UTF-8`
}

/** RFC 9110, section 5.1: the names of headers are case-insensitive. */
function isNamed({ in: where, name }: Parameter, wanted: string): boolean {
  return where === "header" ? name.toLowerCase() === wanted.toLowerCase() : name === wanted
}

/** RFC 3339, which JSON Schema's `date-time` means. */
function isDateTime(text: string): boolean {
  const day = RFC_3339.exec(text)?.[1]
  return day !== undefined && isCalendarDay(day) && !Number.isNaN(Date.parse(text))
}

/** Formats a violated constraint, to follow its subject: "must be a whole number between 1 and 100". */
function formatViolation({ keyword, schema: value, parentSchema = {} }: ErrorObject): string {
  switch (keyword) {
    case "required":
      return "is required"
    case "additionalProperties":
      return "is not a known property"
    case "type":
      if (value === "integer") return `must be ${formatRange(parentSchema)}`
      return `must be ${/^[aeiou]/.test(String(value)) ? "an" : "a"} ${String(value)}`
    case "minimum":
    case "maximum":
      return `must be ${formatRange(parentSchema)}`
    case "enum":
      return `must be one of ${Array.isArray(value) ? value.join(", ") : ""}`
    case "minLength":
      return "must not be empty"
    case "maxLength":
      return `must have at most ${String(value)} characters`
    case "maxItems":
      return `must have at most ${String(value)} items`
    case "uniqueItems":
      return "must not contain the same item twice"
    case "format":
      return "must be a date and time with its offset, such as 2026-11-20T12:00:00Z"
    default:
      return `does not satisfy "${keyword}"`
  }
}

/** The bounds of an integer. No integer of the API is negative, so a bound that the schema leaves out is 0 or the largest int64. */
function rangeOf(schema: DocumentObject) {
  const { minimum = 0, maximum = MAX_INT64 } = schema
  return { minimum: BigInt(String(minimum)), maximum: BigInt(String(maximum)) }
}

function formatRange(schema: DocumentObject): string {
  const { minimum, maximum } = rangeOf(schema)
  return `a whole number between ${minimum} and ${maximum}`
}

/** Writes Ajv's path `/data/0` and the missing or unknown property `version` as `data[0].version`. */
function readPath({ instancePath, params }: ErrorObject): string {
  const property: unknown = params["missingProperty"] ?? params["additionalProperty"]
  const steps = instancePath.split("/").slice(1)
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
  if (typeof property === "string") path.push(`.${shorten(property)}`)
  return path.join("").replace(/^\./, "")
}

function shorten(name: string): string {
  if (countCharacters(name) <= NAME_MAX_CHARACTERS) return name
  // A character has up to two UTF-16 units, so twice as many units hold enough characters.
  const characters = Array.from(name.slice(0, 2 * NAME_MAX_CHARACTERS))
  return `${characters.slice(0, NAME_MAX_CHARACTERS).join("")}…`
}
