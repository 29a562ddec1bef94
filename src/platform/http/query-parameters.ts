/** Reads query parameters by a schema. */
import * as v from "valibot"
import { queryInvalid } from "./refusals.ts"
import { Refused } from "./send.ts"

type Parameters = v.ObjectSchema<v.ObjectEntries, undefined>

/** Reads the text parameters that a schema names, and ignores others. @throws Refused (400) for one that is missing, given twice, or has a bad value */
export function readQuery<Schema extends Parameters>(schema: Schema, query: string): v.InferOutput<Schema> {
  const given: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(schema.entries, name)) continue
    if (Object.hasOwn(given, name)) throw new Refused(queryInvalid(`${name} appears twice.`))
    given[name] = value
  }
  const read = v.safeParse(schema, given)
  if (!read.success) throw new Refused(refuseValue(read.issues[0]))
  return read.output
}

function refuseValue(issue: v.BaseIssue<unknown>) {
  const name = v.getDotPath(issue) ?? ""
  if (issue.received === "undefined") return queryInvalid(`${name} is missing.`)
  if (issue.expected === null) return badParameter(name)
  const expected = formatExpected(issue.expected)
  return badParameter(name, issue.type.endsWith("_length") ? `a length of ${expected}` : expected)
}

/** Puts Valibot's `>=1`, `<=100` and `("due" | "newest")` into words. */
const formatExpected = (expected: string) =>
  expected
    .replace(/^>=/, "at least ")
    .replace(/^<=/, "at most ")
    .replace(/^\((.*)\)$/, "$1")
    .replaceAll(" | ", " or ")

/** The refusal of a parameter's value. `expected` says which values the desk takes. */
export const badParameter = (name: string, expected?: string) =>
  queryInvalid(`${name} has an invalid value.${expected === undefined ? "" : ` Expected: ${expected}.`}`)

/** A parameter that is a whole number in digits, from `from` to `to`. */
export const wholeNumber = (from: number, to: number) =>
  v.pipe(
    v.string(),
    v.transform((digits) => (/^(?:0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : Number.NaN)),
    v.minValue(from),
    v.maxValue(to),
  )
