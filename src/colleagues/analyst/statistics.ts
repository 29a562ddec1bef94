import { mean, sampleStandardDeviation } from "simple-statistics"
import type { Cell } from "./cell.ts"
import { dateOrder } from "./date.ts"
import type { Table, TableColumn } from "./table.ts"

export type ColumnType = "integer" | "number" | "date" | "boolean" | "text" | "mixed" | "empty"

/** The profile of a column. All members but `rows` and `missing` count only the cells that are not missing. */
export type ColumnProfile = {
  readonly name: string
  readonly position: number
  readonly type: ColumnType
  readonly rows: number
  readonly missing: number
  readonly distinct: number
  /** The most frequent values. Equally frequent values are in the order of the file. */
  readonly frequent: readonly { readonly value: string; readonly count: number }[]
  /** Over the cells that are numbers: all cells of a numeric column, some cells of a mixed column. */
  readonly numbers: NumberSummary | undefined
  readonly dates: { readonly earliest: number; readonly latest: number; readonly ambiguous: boolean } | undefined
  /** The cells after the type of the whole column was decided (`settle`). */
  readonly cells: readonly SettledCell[]
}

export type NumberSummary = {
  readonly count: number
  readonly min: number
  readonly q1: number
  readonly median: number
  readonly q3: number
  readonly max: number
  readonly mean: number
  /** Of a sample (n - 1); undefined for one value. */
  readonly standardDeviation: number | undefined
  /** Values further than 1.5 interquartile ranges outside the quartiles (Tukey's fences). */
  readonly outliers: number
}

export type SettledCell = {
  readonly text: string
  /** Equal for cells of the same value: `10` and `10.0` are one number. */
  readonly key: string
  readonly missing: boolean
  readonly number?: number
  readonly date?: number
}

export const FREQUENT_VALUES = 5

/** The method is part of every report, because programs compute quartiles in different ways. */
export const QUARTILE_METHOD =
  "Quartiles interpolate linearly between the two nearest values (type 7 of Hyndman and Fan, as Excel's QUARTILE.INC, numpy and pandas do)"

/**
 * The quantile of ascending values, interpolated linearly at rank `(n - 1) p` (Hyndman and Fan 1996, type 7).
 *
 * @param p from 0 to 1
 */
export function quantile(ascending: readonly number[], p: number): number {
  const rank = (ascending.length - 1) * p
  const below = ascending[Math.floor(rank)] ?? Number.NaN
  const above = ascending[Math.ceil(rank)] ?? Number.NaN
  const share = rank - Math.floor(rank)
  const between = below + (above - below) * share
  // The difference overflows between values near the two ends of the doubles' range.
  return Number.isFinite(between) ? between : below * (1 - share) + above * share
}

/** The summary of numbers in any order. Undefined when there are none. */
export function summarise(numbers: readonly number[]): NumberSummary | undefined {
  if (numbers.length === 0) return undefined
  const ascending = numbers.toSorted((a, b) => a - b)
  const [q1, median, q3] = [quantile(ascending, 0.25), quantile(ascending, 0.5), quantile(ascending, 0.75)]
  const fence = 1.5 * (q3 - q1)
  return {
    count: numbers.length,
    min: ascending[0] ?? Number.NaN,
    q1,
    median,
    q3,
    max: ascending.at(-1) ?? Number.NaN,
    mean: average(ascending),
    standardDeviation: numbers.length > 1 ? sampleStandardDeviation(ascending) : undefined,
    outliers: numbers.filter((number) => number < q1 - fence || number > q3 + fence).length,
  }
}

/** The arithmetic mean. If the sum of the values overflows, each value is divided first. */
export function average(numbers: readonly number[]): number {
  const plain = mean([...numbers])
  return Number.isFinite(plain) ? plain : mean(numbers.map((number) => number / numbers.length)) * numbers.length
}

/** Profiles a column. `position` is the column's number in its table, from 1. */
export function profileColumn(column: TableColumn, position: number): ColumnProfile {
  const { type, cells, ambiguous } = settle(column.cells)
  const present = cells.filter((cell) => !cell.missing)
  const counts = new Map<string, { value: string; count: number }>()
  for (const { key, text } of present)
    counts.set(key, { value: counts.get(key)?.value ?? text, count: (counts.get(key)?.count ?? 0) + 1 })
  const dates = present.flatMap(({ date }) => (date === undefined ? [] : [date])).sort((a, b) => a - b)
  const [earliest, latest] = [dates[0], dates.at(-1)]
  return {
    name: column.name,
    position,
    type,
    rows: cells.length,
    missing: cells.length - present.length,
    distinct: counts.size,
    frequent: [...counts.values()].sort((a, b) => b.count - a.count).slice(0, FREQUENT_VALUES),
    numbers: summarise(present.flatMap(({ number }) => (number === undefined ? [] : [number]))),
    dates:
      type !== "date" || earliest === undefined || latest === undefined ? undefined : { earliest, latest, ambiguous },
    cells,
  }
}

/** Profiles all columns of a table, in their order. */
export function profileTable(table: Table): readonly ColumnProfile[] {
  return table.columns.map((column, index) => profileColumn(column, index + 1))
}

/** The number of rows that repeat an earlier row in every column. */
export function repeatedRows(table: Table): number {
  const seen = new Set<string>()
  for (let row = 0; row < table.rows; row += 1) {
    seen.add(JSON.stringify(table.columns.map(({ cells }) => [cells[row]?.kind === "missing", cells[row]?.text])))
  }
  return table.rows - seen.size
}

/** Words that mean "no value" among numbers, dates and booleans. Among texts they are values: `NA` can be Namibia. */
const MISSING_WORDS = /^(?:na|n\/a|#n\/a|nan|null|none|nil|-|\?)$/i

/**
 * Decides the type of a column and the values of its cells. Cells depend on each other: a single `007` makes all integers codes, and a
 * single `13/5/2024` decides how `4/5/2024` is read.
 */
function settle(cells: readonly Cell[]): { type: ColumnType; cells: readonly SettledCell[]; ambiguous: boolean } {
  const words = (cell: Cell): boolean => cell.kind === "text" && MISSING_WORDS.test(cell.text.trim())
  const realText = cells.some((cell) => cell.kind === "text" && !words(cell))
  const otherKind = cells.some((cell) => cell.kind !== "text" && cell.kind !== "missing")
  const isMissing = (cell: Cell): boolean => cell.kind === "missing" || (!realText && otherKind && words(cell))
  const present = cells.filter((cell) => !isMissing(cell))
  const codes = present.some((cell) => cell.kind === "integer" && /^[+-]?0\d/.test(cell.text))
  const readings = present.flatMap((cell) => (cell.kind === "date" ? [cell.date] : []))
  const order = dateOrder(readings)
  const kinds = new Set(
    present.map((cell) =>
      (cell.kind === "integer" && codes) || (cell.kind === "date" && !order) ? "text" : cell.kind,
    ),
  )
  const type = typeOf(kinds)
  return {
    type,
    ambiguous: type === "date" && order?.ambiguous === true,
    cells: cells.map((cell): SettledCell => {
      if (isMissing(cell)) return { text: cell.text, key: "", missing: true }
      if (cell.kind === "number" || (cell.kind === "integer" && !codes))
        return { text: cell.text, key: keyOf(cell), missing: false, number: cell.number }
      const date = cell.kind === "date" && order ? cell.date[order.order] : undefined
      const plain = { text: cell.text, key: cell.text, missing: false }
      return date === undefined ? plain : { ...plain, date }
    }),
  }
}

/** The key of a number. Above 2^53 the key is the text, because two different identifiers may be the same double. */
function keyOf({ text, number }: Extract<Cell, { number: number }>): string {
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? String(number) : text
}

function typeOf(kinds: ReadonlySet<Cell["kind"]>): ColumnType {
  const has = (...only: readonly Cell["kind"][]): boolean => [...kinds].every((kind) => only.includes(kind))
  if (kinds.size === 0) return "empty"
  if (has("integer")) return "integer"
  if (has("integer", "number")) return "number"
  if (has("date")) return "date"
  if (has("boolean")) return "boolean"
  if (has("text", "boolean")) return "text"
  return "mixed"
}
