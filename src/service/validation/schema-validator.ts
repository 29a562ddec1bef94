import addFormats from "ajv-formats"
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import { type DocumentObject, document } from "../../contract/document.ts"
import { isWithin, rangeOf } from "./integer-range.ts"
import { sayViolation } from "./sentence.ts"

/** What is wrong with a value. `detail` is a sentence for a person. `field` is a path such as `input_upload_ids[2]`, or `body`. */
export type ValidationFailure = { readonly field: string; readonly detail: string }

// Ajv resolves the document's references under this name.
const DOCUMENT_ID = "contract"

// ajv-formats accepts white space instead of the T, and offsets without minutes. JSON Schema's "date-time" is RFC 3339's and has neither.
const RFC_3339 = String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`

// A client chooses the names of unknown properties, so a name can be as long as the body.
const NAME_MAX_CHARACTERS = 80

// Without `allErrors`: a body of 1 MiB can have 100,000 failures, and a Problem tells only the first.
// Without `validateSchema`: document.test.ts holds the schemas against JSON Schema, which would take a tenth of a second at each start.
const ajv = new Ajv2020({ verbose: true, validateSchema: false })
addFormats.default(ajv, ["date-time"])
ajv.addKeyword({
  keyword: "int64",
  schemaType: "object",
  compile: (schema: object) => {
    const range = rangeOf(schema)
    return (value: unknown) => isWithin(range, value)
  },
})
// openapi.yaml keeps its schemas below `components`, which Ajv would refuse as an unknown keyword.
ajv.addVocabulary(["components"])
ajv.addSchema({ $id: DOCUMENT_ID, components: translate(document["components"]) })

const compiled = new WeakMap<DocumentObject, ValidateFunction>()

/**
 * Validates a value against a schema of openapi.yaml. Each schema is compiled once.
 * `name` is the `field` of a failure of the whole value, and `subject` begins the sentence about the whole value.
 * Gives the first failure, or an empty list.
 */
export function validateAgainst(
  schema: DocumentObject,
  value: unknown,
  name: string,
  subject: string,
): ValidationFailure[] {
  let validate = compiled.get(schema)
  if (validate === undefined) {
    validate = ajv.compile(asSchema(translate(schema)))
    compiled.set(schema, validate)
  }
  if (validate(value)) return []
  return (validate.errors ?? []).map((error) => sayFailure(error, name, subject))
}

/**
 * Translates a part of openapi.yaml for Ajv. Ajv accepts no bigint as an integer, so int64 becomes a keyword of our own that does.
 * References get the document's name, because Ajv compiles each part by itself.
 */
function translate(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(translate)
  if (typeof part !== "object" || part === null) return part
  const format: unknown = Reflect.get(part, "format")
  if (format === "int64") return { int64: part }
  const entries = Object.entries(part).map(([name, value]: [string, unknown]) =>
    name === "$ref" ? [name, `${DOCUMENT_ID}${String(value)}`] : [name, translate(value)],
  )
  if (format === "date-time") entries.push(["pattern", RFC_3339])
  return Object.fromEntries(entries)
}

function asSchema(value: unknown): object {
  if (typeof value !== "object" || value === null) throw new TypeError("openapi.yaml: a schema is no object")
  return value
}

function sayFailure(error: ErrorObject, name: string, subject: string): ValidationFailure {
  const path = readPath(error)
  const isInt64 = error.keyword === "int64"
  const schema: unknown = isInt64 ? error.schema : error.parentSchema
  return {
    field: path === "" ? name : path,
    detail: sayViolation(path === "" ? subject : path, {
      keyword: error.keyword,
      value: error.schema,
      schema: asSchema(schema),
    }),
  }
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
  if (name.length <= NAME_MAX_CHARACTERS) return name
  // A character has up to two UTF-16 units, so twice as many units hold enough characters.
  const characters = Array.from(name.slice(0, 2 * NAME_MAX_CHARACTERS)).slice(0, NAME_MAX_CHARACTERS)
  const start = characters.join("")
  return start.length < name.length ? `${start}…` : name
}
