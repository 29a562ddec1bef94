/** Writes a line for each column of each input (RFC 4180, with CRLF). A figure is the shortest decimal that reads back as the same double. */
import Papa from "papaparse"
import type { Profile } from "./result-types.ts"
import { type ColumnProfile, FREQUENT_VALUES } from "./column-profile.ts"

/** The beginning of a text that a spreadsheet runs as a formula (OWASP, "CSV Injection"), and that gets an apostrophe in front. */
const FORMULA = /^(?:[=+@\t\r]|-(?!\d+(?:\.\d+)?$))/

/** The fields after `input` and `column`. A field without a figure is empty. */
const FIELDS: Readonly<Record<string, (column: ColumnProfile) => string | number | undefined>> = {
  position: ({ position }) => position,
  type: ({ type }) => type,
  rows: ({ rows }) => rows,
  missing: ({ missing }) => missing,
  distinct: ({ distinct }) => distinct,
  min: ({ numbers, dates }) => numbers?.min ?? day(dates?.earliest),
  q1: ({ numbers }) => numbers?.q1,
  median: ({ numbers }) => numbers?.median,
  q3: ({ numbers }) => numbers?.q3,
  max: ({ numbers, dates }) => numbers?.max ?? day(dates?.latest),
  mean: ({ numbers }) => numbers?.mean,
  standard_deviation: ({ numbers }) => numbers?.standardDeviation,
  outliers: ({ numbers }) => numbers?.outliers,
}

export function columnsCsv(profiles: readonly Profile[]): string {
  const places = Array.from({ length: FREQUENT_VALUES }, (_, index) => index)
  const header = ["input", "column", ...Object.keys(FIELDS)]
  const frequent = places.flatMap((place) => [`frequent_${place + 1}`, `frequent_${place + 1}_count`])
  const rows = profiles.flatMap(({ table, columns }) =>
    columns.map((column) => [
      text(table.name),
      text(column.name),
      ...Object.values(FIELDS).map((read) => read(column) ?? ""),
      ...places.flatMap((place) => {
        const { value = "", count = "" } = column.frequent[place] ?? {}
        return [text(value), count]
      }),
    ]),
  )
  return `${Papa.unparse([[...header, ...frequent], ...rows], { newline: "\r\n" })}\r\n`
}

function day(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString().replace("T00:00:00.000Z", "")
}

function text(value: string): string {
  return FORMULA.test(value) ? `'${value}` : value
}
