import type { RecordOperation, RecordOutcome } from "../contract/desk-work.ts"
import { queryInvalid } from "../http/refusals.ts"
import { Refused } from "../http/send.ts"
import { type Filter, FILTERS } from "./entries.ts"

/** The query of `GET /desk/record`. */
export type RecordQuery = {
  readonly filter: Filter
  readonly limit: number
  /** Only entries before this sequence. */
  readonly before: number
}

const OPERATIONS: readonly RecordOperation[] = [
  "createInputUpload",
  "retryInputUploadProcessing",
  "createWork",
  "resolveWorkAttention",
  "resolveWorkApproval",
  "withdrawApproval",
  "takeItem",
  "handItem",
  "giveBackItem",
]
const OUTCOMES: readonly RecordOutcome[] = ["recorded", "refused", "unknown", "held"]

/** Above every sequence. */
export const FROM_THE_END = Number.MAX_SAFE_INTEGER

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100

/** Reads a query string. Ignores an unknown parameter. @throws Refused (400) when a parameter is empty, repeated or has a bad value */
export function parseQuery(query: string): RecordQuery {
  const parameters = new URLSearchParams(query)
  for (const name of [...FILTERS, "limit", "cursor"]) {
    const values = parameters.getAll(name)
    if (values.length > 1 || values[0] === "")
      throw new Refused(queryInvalid(`${name} must be given once, with a value.`))
  }
  const filter: Filter = Object.fromEntries(
    FILTERS.map((name) => [name, parameters.get(name)]).filter(([, value]) => value !== null),
  )
  for (const [name, known] of Object.entries({ operation: OPERATIONS, outcome: OUTCOMES })) {
    const value = parameters.get(name)
    if (value !== null && !known.some((one) => one === value)) {
      throw new Refused(queryInvalid(`${name} must be one of ${known.join(", ")}.`))
    }
  }
  const limit = parseLimit(parameters.get("limit"))
  if (limit === undefined) throw new Refused(queryInvalid(`limit must be a whole number from 1 to ${MAX_LIMIT}.`))
  const before = parseCursor(parameters.get("cursor"))
  if (before === undefined) throw new Refused(queryInvalid("cursor must be a next_cursor of the record."))
  return { filter, limit, before }
}

function parseLimit(text: string | null): number | undefined {
  if (text === null) return DEFAULT_LIMIT
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return limit >= 1 && limit <= MAX_LIMIT ? limit : undefined
}

/** The cursor of the page with the entries before `sequence`. It is opaque to clients. */
export function cursorBefore(sequence: number): string {
  return Buffer.from(`before ${sequence}`).toString("base64url")
}

function parseCursor(text: string | null): number | undefined {
  if (text === null) return FROM_THE_END
  const [, digits] = /^before (\d{1,15})$/.exec(Buffer.from(text, "base64url").toString("utf8")) ?? []
  // Buffer ignores characters that are not base64url, so only the exact text of `cursorBefore` is a cursor.
  return digits === undefined || cursorBefore(Number(digits)) !== text ? undefined : Number(digits)
}
