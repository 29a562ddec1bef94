import Papa from "papaparse"
import type { Profile } from "./profile.ts"
import { FREQUENT_VALUES } from "./statistics.ts"

/**
 * The beginning of a text that a spreadsheet runs as a formula (OWASP, "CSV Injection"). Such a text gets an apostrophe in front. A text
 * that is only a negative number does not.
 */
const FORMULA = /^(?:[=+@\t\r]|-(?!\d+(?:\.\d+)?$))/

/**
 * Writes a line for each column of each input (RFC 4180, with CRLF). Figures have full precision: the shortest decimal that reads back as
 * the same double. A field without a figure is empty.
 */
export function columnsCsv(profiles: readonly Profile[]): string {
  const lines = profiles.flatMap(({ table, columns }) =>
    columns.map((column): Record<string, string | number> => {
      const { numbers, dates } = column
      const day = (time: number | undefined): string =>
        time === undefined ? "" : new Date(time).toISOString().replace("T00:00:00.000Z", "")
      return {
        input: text(table.name),
        column: text(column.name),
        position: column.position,
        type: column.type,
        rows: column.rows,
        missing: column.missing,
        distinct: column.distinct,
        min: numbers ? exact(numbers.min) : day(dates?.earliest),
        q1: exact(numbers?.q1),
        median: exact(numbers?.median),
        q3: exact(numbers?.q3),
        max: numbers ? exact(numbers.max) : day(dates?.latest),
        mean: exact(numbers?.mean),
        standard_deviation: exact(numbers?.standardDeviation),
        outliers: exact(numbers?.outliers),
        ...Object.fromEntries(
          Array.from({ length: FREQUENT_VALUES }, (_, index) => column.frequent[index]).flatMap((frequent, index) => [
            [`frequent_${index + 1}`, text(frequent?.value ?? "")],
            [`frequent_${index + 1}_count`, frequent?.count ?? ""],
          ]),
        ),
      }
    }),
  )
  return `${Papa.unparse({ fields: HEADER, data: lines }, { newline: "\r\n" })}\r\n`
}

const HEADER = [
  "input",
  "column",
  "position",
  "type",
  "rows",
  "missing",
  "distinct",
  "min",
  "q1",
  "median",
  "q3",
  "max",
].concat(
  ["mean", "standard_deviation", "outliers"],
  Array.from({ length: FREQUENT_VALUES }, (_, index) => [
    `frequent_${index + 1}`,
    `frequent_${index + 1}_count`,
  ]).flat(),
)

function text(value: string): string {
  return FORMULA.test(value) ? `'${value}` : value
}

function exact(value: number | undefined): number | string {
  return value === undefined || !Number.isFinite(value) ? "" : value
}
