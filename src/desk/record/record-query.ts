/** Reads the query of `GET /desk/record`: filters, limit and cursor. */
import * as v from "valibot"
import { RECORDED_OPERATIONS, type RecordOutcome } from "../../contract/desk-work.ts"
import { readQuery, wholeNumber } from "../../platform/http/query-parameters.ts"
import type { Filter, FILTERS } from "./entries.ts"

export type RecordQuery = {
  readonly filter: Filter
  readonly limit: number
  /** Only entries before this sequence. */
  readonly before: number
}

const OUTCOMES: readonly RecordOutcome[] = ["recorded", "refused", "unknown", "held"]
/** The outcome of an entry as a parameter. */
export const recordOutcome = v.picklist(OUTCOMES)

/** Above every sequence. */
export const FROM_THE_END = Number.MAX_SAFE_INTEGER

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100

const text = v.optional(v.pipe(v.string(), v.minLength(1)))
const parameters = v.object({
  work: text,
  item: text,
  person: text,
  operation: v.optional(v.picklist(RECORDED_OPERATIONS)),
  outcome: v.optional(recordOutcome),
  limit: v.optional(wholeNumber(1, MAX_LIMIT), String(DEFAULT_LIMIT)),
  cursor: v.optional(v.pipe(v.string(), v.rawTransform(readCursor))),
} satisfies Record<(typeof FILTERS)[number] | "limit" | "cursor", v.GenericSchema>)

/** Reads a query string. @throws Refused (400) */
export function parseQuery(query: string): RecordQuery {
  const { limit, cursor: before = FROM_THE_END, ...filter } = readQuery(parameters, query)
  return { filter, limit, before }
}

/** The cursor of the page with the entries before `sequence`. It is opaque to clients. */
export function cursorBefore(sequence: number): string {
  return Buffer.from(`before ${sequence}`).toString("base64url")
}

function readCursor({ dataset: { value }, addIssue, NEVER }: v.RawTransformContext<string>): number {
  const [, digits = ""] = /^before (\d{1,15})$/.exec(Buffer.from(value, "base64url").toString("utf8")) ?? []
  // Buffer ignores characters that are not base64url, so only the exact text of `cursorBefore` is a cursor.
  if (cursorBefore(Number(digits)) === value) return Number(digits)
  addIssue({ message: "not a cursor" })
  return NEVER
}
