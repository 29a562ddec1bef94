import * as v from "valibot"
import { queryInvalid } from "./refusals.ts"
import { Refused } from "./send.ts"

type Parameters = v.ObjectSchema<v.ObjectEntries, undefined>

/**
 * Reads the parameters that a schema names, each a text. Other parameters are ignored.
 * @throws Refused (400) with the name of a parameter that is missing, is given twice, or has a bad value
 */
export function readQuery<Schema extends Parameters>(schema: Schema, query: string): v.InferOutput<Schema> {
  const given: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(schema.entries, name)) continue
    if (Object.hasOwn(given, name)) throw new Refused(badParameter(name))
    given[name] = value
  }
  const read = v.safeParse(schema, given)
  if (!read.success) throw new Refused(badParameter(v.getDotPath(read.issues[0]) ?? ""))
  return read.output
}

/** The refusal of a query, with the name of the parameter. */
export const badParameter = (name: string) => queryInvalid(`${name} is missing, is given twice, or has a bad value.`)
