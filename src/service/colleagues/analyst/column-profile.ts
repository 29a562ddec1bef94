/** Describes each column of a table: its type, its values and its numbers. */
import { mean, quantileSorted, sampleStandardDeviation } from "simple-statistics"
import type { Cell, Table, TableColumn } from "./table.ts"

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
  /** In milliseconds since 1970, of a column of dates. */
  readonly dates: { readonly earliest: number; readonly latest: number } | undefined
  /** The cells after the type of the whole column was decided (`decideType`). */
  readonly cells: readonly TypedCell[]
}

export type NumberSummary = NonNullable<ReturnType<typeof summarise>>

/** `key` is equal for cells of the same value: `10` and `10.0` are one number. */
export type TypedCell = {
  readonly text: string
  readonly key: string
  readonly missing: boolean
  readonly number?: number
  readonly date?: number
}

export const FREQUENT_VALUES = 5

/**
 * The summary of numbers in any order. Undefined when there are none. The deviation is that of a sample (n - 1), undefined for one value. Outliers
 * lie further than 1.5 interquartile ranges outside the quartiles (Tukey's fences).
 */
export function summarise(numbers: readonly number[]) {
  const ascending = numbers.toSorted((a, b) => a - b)
  const [min, max] = [ascending[0], ascending.at(-1)]
  if (min === undefined || max === undefined) return undefined
  const [q1 = 0, median = 0, q3 = 0] = [0.25, 0.5, 0.75].map((p) => quantileSorted(ascending, p))
  const fence = 1.5 * (q3 - q1)
  const standardDeviation = numbers.length > 1 ? sampleStandardDeviation(ascending) : undefined
  const outliers = numbers.filter((number) => number < q1 - fence || number > q3 + fence).length
  return { count: numbers.length, min, q1, median, q3, max, mean: mean(ascending), standardDeviation, outliers }
}

/** Profiles all columns of a table, in their order. */
export function profileTable(table: Table): readonly ColumnProfile[] {
  return table.columns.map((column, index) => profileColumn(column, index + 1))
}

function profileColumn(column: TableColumn, position: number): ColumnProfile {
  const { type, cells } = decideType(column.cells)
  const present = cells.filter((cell) => !cell.missing)
  const values = Map.groupBy(present, ({ key }) => key)
  const dates = present.flatMap(({ date }) => date ?? []).sort((a, b) => a - b)
  const [earliest, latest] = [dates[0], dates.at(-1)]
  return {
    name: column.name,
    position,
    type,
    rows: cells.length,
    missing: cells.length - present.length,
    distinct: values.size,
    frequent: [...values.values()]
      .map((own) => ({ value: own[0]?.text ?? "", count: own.length }))
      .sort((a, b) => b.count - a.count)
      .slice(0, FREQUENT_VALUES),
    numbers: summarise(present.flatMap(({ number }) => number ?? [])),
    dates: type !== "date" || earliest === undefined || latest === undefined ? undefined : { earliest, latest },
    cells,
  }
}

/** Words that mean "no value" among numbers, dates and booleans. Among texts they are values: `NA` can be Namibia. */
const MISSING_WORDS = /^(?:na|n\/a|#n\/a|nan|null|none|nil|-|\?)$/i

/** Decides the type of a column and the values of its cells. Cells depend on each other: a single `007` makes all integers codes, which are text. */
function decideType(cells: readonly Cell[]): { type: ColumnType; cells: readonly TypedCell[] } {
  const isMissingWord = ({ kind, text }: Cell): boolean => kind === "text" && MISSING_WORDS.test(text.trim())
  const hasText = cells.some((cell) => cell.kind === "text" && !isMissingWord(cell))
  const hasOther = cells.some(({ kind }) => kind !== "text" && kind !== "missing")
  const isMissing = (cell: Cell): boolean => cell.kind === "missing" || (!hasText && hasOther && isMissingWord(cell))
  const present = cells.filter((cell) => !isMissing(cell))
  const areCodes = present.some(({ kind, text }) => kind === "integer" && /^[+-]?0\d/.test(text))
  return {
    type: typeOf(new Set(present.map(({ kind }) => (kind === "integer" && areCodes ? "text" : kind)))),
    cells: cells.map((cell): TypedCell => {
      const { text } = cell
      if (isMissing(cell)) return { text, key: "", missing: true }
      if (cell.kind === "date") return { text, key: text, missing: false, date: cell.number }
      if (cell.kind === "number" || (cell.kind === "integer" && !areCodes)) {
        // Above 2^53 the key is the text, because two different identifiers may be the same double.
        const isExact = Math.abs(cell.number) <= Number.MAX_SAFE_INTEGER
        return { text, key: isExact ? String(cell.number) : text, missing: false, number: cell.number }
      }
      return { text, key: text, missing: false }
    }),
  }
}

function typeOf(kinds: ReadonlySet<Cell["kind"]>): ColumnType {
  const hasOnly = (...only: readonly Cell["kind"][]): boolean => [...kinds].every((kind) => only.includes(kind))
  if (kinds.size === 0) return "empty"
  if (hasOnly("integer")) return "integer"
  if (hasOnly("integer", "number")) return "number"
  if (hasOnly("date")) return "date"
  if (hasOnly("boolean")) return "boolean"
  return hasOnly("text", "boolean") ? "text" : "mixed"
}
