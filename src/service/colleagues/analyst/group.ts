/** Groups the rows of a table by one column. */
import { mean, quantileSorted } from "simple-statistics"
import { figure } from "../wording.ts"
import type { ColumnProfile } from "./column-profile.ts"

/** The rows of a table in groups by one column, with the mean of every other numeric column for each group. */
export type Grouping = {
  readonly by: ColumnProfile
  /** How the groups were made, as words before the column's name: `by the values of`, `at the quartiles of` or `by the year in`. */
  readonly manner: string
  readonly measures: readonly ColumnProfile[]
  readonly groups: readonly Group[]
}

export type Group = {
  readonly label: string
  /** The label of a `value` is text of the file. The labels of the other kinds are texts of the analyst. */
  readonly kind: "value" | "range" | "missing" | "other"
  readonly rows: number
  /** In the order of `measures`; undefined where the group has no number in that column. */
  readonly means: readonly (number | undefined)[]
}

/** The most groups that a person reads. The values of further groups are counted together. */
export const GROUPS_MAX = 12

const DAY_MS = 86_400_000

/**
 * Groups the rows by a column. Numbers with few values are grouped by value, other numbers at their quartiles, and dates by day, month or
 * year. Other columns are grouped by value, with the largest group first. There are at most twelve groups, and one for rows without a value.
 */
export function groupBy(columns: readonly ColumnProfile[], by: ColumnProfile): Grouping {
  const { manner, kind, labelOf } = cutsOf(by)
  const rows = [...by.cells.keys()]
  const present = rows.filter((row) => by.cells[row]?.missing === false)
  const found = [...Map.groupBy(present, labelOf)].map(([label, own]) => ({ label, kind, own }))
  const isOrdered = kind === "range" || isNumeric(by)
  const valueOf = ([first = -1]: readonly number[]) => by.cells[first]?.number ?? by.cells[first]?.date ?? 0
  found.sort((a, b) => (isOrdered ? valueOf(a.own) - valueOf(b.own) : b.own.length - a.own.length))
  const shown = found.length > GROUPS_MAX ? found.slice(0, GROUPS_MAX - 1) : found
  const rest = found.slice(shown.length)
  const missing = rows.filter((row) => by.cells[row]?.missing === true)
  const others = [
    { label: `${figure(rest.length)} other values`, kind: "other" as const, own: rest.flatMap(({ own }) => own) },
    { label: "no value", kind: "missing" as const, own: missing },
  ].filter(({ own }) => own.length > 0)
  const measures = columns.filter((column) => isMeasure(column) && column.position !== by.position)
  const groups = [...shown, ...others].map(({ label, kind, own }) => ({
    label,
    kind,
    rows: own.length,
    means: measures.map(({ cells }) => {
      const numbers = own.flatMap((row) => cells[row]?.number ?? [])
      return numbers.length === 0 ? undefined : mean(numbers)
    }),
  }))
  return { by, manner, measures, groups }
}

/** The index of the measure whose means differ most between the groups. The chart draws this measure. -1 when no means differ. */
export function mostSpreadMeasure({ groups, measures }: Grouping): number {
  const spreads = measures.map(({ numbers, distinct, rows }, index) => {
    const means = groups.flatMap((group) => (group.kind === "other" ? [] : (group.means[index] ?? [])))
    const deviation = numbers?.standardDeviation ?? 0
    // The mean of numbers that count the rows, as invoice numbers do with a few gaps, says nothing.
    const isCounter = distinct === rows && (numbers?.max ?? 0) - (numbers?.min ?? 0) < 1.5 * rows
    const saysNothing = means.length < 2 || deviation === 0 || isCounter
    return saysNothing ? 0 : (Math.max(...means) - Math.min(...means)) / deviation
  })
  const best = Math.max(...spreads, 0)
  return best > 0 ? spreads.indexOf(best) : -1
}

const isNumeric = ({ type }: ColumnProfile): boolean => type === "integer" || type === "number"

/** Whether the values of a column are all or mostly numbers. */
function isMeasure({ type, numbers, rows, missing }: ColumnProfile): boolean {
  return numbers !== undefined && (type !== "mixed" || numbers.count * 2 > rows - missing)
}

/** How a column is cut into groups: the `manner` and `kind` of the groups, and the label of the group of a row. */
type Cuts = { readonly manner: string; readonly kind: "value" | "range"; readonly labelOf: (row: number) => string }

function cutsOf(by: ColumnProfile): Cuts {
  if (by.dates) {
    const { earliest, latest } = by.dates
    const days = (latest - earliest) / DAY_MS
    // The smallest unit of which the span has at most twelve, or else years. `length` is that of the unit in an ISO 8601 time.
    const [unit, length] =
      days < GROUPS_MAX - 1 ? ["day", 10] : days < (GROUPS_MAX - 2) * 30 ? ["month", 7] : ["year", 4]
    const labelOf = (row: number) => new Date(by.cells[row]?.date ?? 0).toISOString().slice(0, length)
    return { manner: `by the ${unit} in`, kind: "range", labelOf }
  }
  if (isNumeric(by) && by.distinct > GROUPS_MAX) {
    const ascending = by.cells.flatMap(({ number }) => number ?? []).sort((a, b) => a - b)
    const edges = [...new Set([0, 0.25, 0.5, 0.75, 1].map((p) => quantileSorted(ascending, p)))]
    const labelOf = (row: number) => {
      const above = edges.findIndex((edge, index) => index > 0 && (by.cells[row]?.number ?? 0) <= edge)
      const index = Math.max(above, 1)
      return `${index === 1 ? "" : "over "}${figure(edges[index - 1] ?? 0)} to ${figure(edges[index] ?? 0)}`
    }
    return { manner: "by the quartiles of", kind: "range", labelOf }
  }
  // Cells of the same value may have several texts (`10` and `10.0`). The first text is the label.
  const texts = new Map(by.cells.toReversed().map(({ key, text }) => [key, text]))
  return { manner: "by the values of", kind: "value", labelOf: (row) => texts.get(by.cells[row]?.key ?? "") ?? "" }
}
