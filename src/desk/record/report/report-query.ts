/** Reads what a report is about: the query of `GET /desk/record/report`, and the period, which `npm run record -- report` also has. */
import * as v from "valibot"
import { REPORT_DAYS_MAX, REPORT_FORMATS, REPORTED_OPERATIONS, type ReportFormat } from "../../../contract/desk-work.ts"
import { isCalendarDay } from "../../../platform/calendar-day.ts"
import { readQuery } from "../../../platform/http/query-parameters.ts"
import { queryInvalid } from "../../../platform/http/refusals.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Filter } from "../entries.ts"
import { recordOutcome } from "../record-query.ts"

/** Whole days in UTC. */
export type Period = {
  /** The first and the last day, such as `2026-01-31`. */
  readonly from: string
  readonly to: string
  /** When the first day begins, and when the last one is over, in milliseconds since 1970. */
  readonly begin: number
  readonly end: number
}

export type ReportQuery = {
  readonly period: Period
  readonly format: ReportFormat
  readonly filter: Filter
  /** Only entries about this colleague. */
  readonly colleague: string | undefined
}

const DAY_MS = 86_400_000

/** Reads the first and the last day of a period. Returns a sentence when they are no period. */
export function readPeriod(from: string, to: string): Period | string {
  for (const [name, day] of Object.entries({ from, to }))
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || !isCalendarDay(day)) return `${name} must be a day such as 2026-01-31.`
  const [begin, end] = [Date.parse(from), Date.parse(to) + DAY_MS]
  if (begin >= end) return "from must not be after to."
  if (end - begin > REPORT_DAYS_MAX * DAY_MS) return `The period must be at most ${REPORT_DAYS_MAX} days long.`
  return { from, to, begin, end }
}

const text = v.optional(v.pipe(v.string(), v.minLength(1)))
const parameters = v.object({
  from: v.string(),
  to: v.string(),
  format: v.picklist(REPORT_FORMATS),
  work: text,
  item: text,
  person: text,
  operation: v.optional(v.picklist(REPORTED_OPERATIONS)),
  outcome: v.optional(recordOutcome),
  colleague: text,
} satisfies Record<keyof Filter | "from" | "to" | "format" | "colleague", v.GenericSchema>)

/** Reads a query string. @throws Refused (400) */
export function parseReportQuery(query: string): ReportQuery {
  const { from, to, format, colleague, ...filter } = readQuery(parameters, query)
  const period = readPeriod(from, to)
  if (typeof period === "string") throw new Refused(queryInvalid(period))
  return { period, format, filter, colleague }
}
