/** Finds what the owner of a file should know before using it. */
import { pluralForm } from "../../../contract/plural.ts"
import { count, list, percentage, quoted } from "../wording.ts"
import type { ColumnProfile } from "./column-profile.ts"
import type { Table } from "./table.ts"

/** A property of the file that its owner should know before using the file. `message` is one or two whole sentences. */
export type Finding = {
  readonly kind: string
  readonly message: string
  readonly columns: readonly string[]
  readonly count: number
}

/** Texts that a person reads as numbers, but a program cannot read for certain: `1,234`, `1.234,50`, `€ 12` and `12 %`. */
const WRITTEN_NUMBER = /^[\p{Sc}\s]*[+-]?\d[\d\s.,'’]*[\p{Sc}%\s]*$/u

/** Longer cells are not tried. The regular expression above takes quadratic time, which is too long for a cell of 100,000 spaces. */
const LONGEST_WRITTEN_NUMBER = 100

/** The findings about a table, the most serious first. */
export function findingsOf(table: Table, columns: readonly ColumnProfile[]): readonly Finding[] {
  if (table.rows === 0) {
    const message = `${quoted(table.name)} has a header and no rows below it.`
    return [{ kind: "no_rows", message, columns: [], count: 0 }]
  }
  const repeated = repeatedRows(table)
  const rows = `${count(repeated, "row")} (${percentage(repeated, table.rows)}) ${pluralForm(repeated, "repeats an earlier row", "repeat earlier rows")} in every column. All rows are counted.`
  return [
    ...(repeated > 0 ? [{ kind: "duplicate_rows", message: rows, columns: [], count: repeated }] : []),
    ...CHECKS.flatMap((check) => findingOf(check, columns) ?? []),
  ]
}

/** A kind of finding about columns. `said` is what the message says of a column after its name. */
type Check = {
  readonly kind: string
  /** In how many places the column has the finding. */
  readonly counted: (column: ColumnProfile) => number
  readonly message: (each: string) => string
  readonly said?: (column: ColumnProfile) => string
}

const CHECKS: readonly Check[] = [
  {
    kind: "missing_values",
    counted: ({ missing }) => missing,
    message: (each) => `Values are missing: ${each}.`,
    said: ({ missing, rows }) => `lacks ${missing} (${percentage(missing, rows)})`,
  },
  {
    kind: "mixed_types",
    counted: ({ type }) => Number(type === "mixed"),
    message: (each) => `Numbers, dates and texts are mixed: ${each}. The figures cover only the numbers.`,
    said: ({ numbers, rows, missing }) => `has ${numbers?.count ?? 0} numbers among ${rows - missing} values`,
  },
  {
    kind: "outliers",
    counted: ({ numbers }) => numbers?.outliers ?? 0,
    message: (each) => `Some values lie far from the others: ${each}. The means include them.`,
    said: ({ numbers }) => `has ${numbers?.outliers ?? 0}`,
  },
  {
    kind: "numbers_as_text",
    counted: (column) => writtenNumbers(column).length,
    message: (each) =>
      `Some cells look like numbers but are not written as plain numbers, so they count as text: ${each}.`,
    said: (column) => `has ${writtenNumbers(column).length} (such as ${quoted(writtenNumbers(column)[0] ?? "")})`,
  },
  {
    kind: "constant_columns",
    counted: ({ rows, distinct, missing }) => Number(rows > 1 && distinct === 1 && missing === 0),
    message: (each) => `Every row has the same value, so grouping is not possible: ${each}.`,
  },
]

/** The finding of a check, with the column that has the finding in most places first. Undefined when no column has the finding. */
function findingOf({ kind, counted, message, said }: Check, columns: readonly ColumnProfile[]): Finding | undefined {
  const all = columns.map((column) => ({ column, count: counted(column) })).filter(({ count }) => count > 0)
  if (all.length === 0) return undefined
  const each = all
    .sort((a, b) => b.count - a.count)
    .map(({ column }) => `${quoted(column.name)} ${said?.(column) ?? ""}`)
  const count = all.reduce((sum, one) => sum + one.count, 0)
  return {
    kind,
    message: message(list(each.map((one) => one.trimEnd()))),
    columns: all.map(({ column }) => column.name),
    count,
  }
}

/** The cells of a column that look like numbers and count as text. A code such as `007` is no number. */
function writtenNumbers({ type, cells }: ColumnProfile): readonly string[] {
  if (type !== "text" && type !== "mixed") return []
  return cells.flatMap(({ missing, number, date, text }) => {
    const isRead = missing || number !== undefined || date !== undefined
    if (isRead || text.length > LONGEST_WRITTEN_NUMBER) return []
    const isCode = /^0\d+$/.test(text.trim())
    return WRITTEN_NUMBER.test(text) && !isCode ? [text] : []
  })
}

/** The number of rows that repeat an earlier row in every column. */
function repeatedRows({ columns, rows }: Table): number {
  const all = Array.from({ length: rows }, (_, row) =>
    JSON.stringify(columns.map(({ cells }) => [cells[row]?.kind === "missing", cells[row]?.text])),
  )
  return rows - new Set(all).size
}
