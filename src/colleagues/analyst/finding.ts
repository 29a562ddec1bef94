import { count, list, percentage, quoted } from "../wording.ts"
import { repeatedRows } from "./statistics.ts"
import type { ColumnProfile } from "./statistics.ts"
import type { Table } from "./table.ts"

/** A property of the file that its owner should know before using the file. `message` is one or two whole sentences. */
export type Finding = {
  readonly kind: string
  readonly message: string
  readonly columns: readonly string[]
  readonly count: number
}

const names = (columns: readonly ColumnProfile[]): readonly string[] => columns.map(({ name }) => name)

/** The findings about a table, the most serious first. */
export function findingsOf(table: Table, columns: readonly ColumnProfile[]): readonly Finding[] {
  if (table.rows === 0) {
    return [
      { kind: "no_rows", message: `${quoted(table.name)} has a header and no rows below it.`, columns: [], count: 0 },
    ]
  }
  return [duplicates, missing, empty, mixed, outliers, numbersAsText, ambiguousDates, constant].flatMap(
    (look) => look(table, columns) ?? [],
  )
}

type Look = (table: Table, columns: readonly ColumnProfile[]) => Finding | undefined

const duplicates: Look = (table) => {
  const repeated = repeatedRows(table)
  if (repeated === 0) return undefined
  return {
    kind: "duplicate_rows",
    message: `${count(repeated, "row")} (${percentage(repeated, table.rows)}) ${repeated === 1 ? "repeats an earlier row" : "repeat earlier rows"} in every column. All rows are counted.`,
    columns: [],
    count: repeated,
  }
}

const missing: Look = (table, columns) => {
  const affected = columns
    .filter((column) => column.missing > 0 && column.missing < column.rows)
    .sort((a, b) => b.missing - a.missing)
  if (affected.length === 0) return undefined
  const each = affected.map(
    (column) => `${quoted(column.name)} lacks ${column.missing} (${percentage(column.missing, table.rows)})`,
  )
  return {
    kind: "missing_values",
    message: `Values are missing in ${count(affected.length, "column")}: ${list(each)}.`,
    columns: names(affected),
    count: affected.reduce((sum, column) => sum + column.missing, 0),
  }
}

const empty: Look = (_table, columns) => {
  const affected = columns.filter(({ type }) => type === "empty")
  if (affected.length === 0) return undefined
  return {
    kind: "empty_columns",
    message: `${count(affected.length, "column")} ${affected.length === 1 ? "has" : "have"} no value at all: ${list(names(affected).map(quoted))}.`,
    columns: names(affected),
    count: affected.length,
  }
}

const mixed: Look = (_table, columns) => {
  const affected = columns.filter(({ type }) => type === "mixed")
  if (affected.length === 0) return undefined
  const each = affected.map(
    ({ name, numbers, rows, missing }) =>
      `${quoted(name)} (${numbers?.count ?? 0} numbers among ${rows - missing} values)`,
  )
  return {
    kind: "mixed_types",
    message: `Numbers, dates and texts are mixed in ${list(each)}. The figures of such a column count only its numbers.`,
    columns: names(affected),
    count: affected.length,
  }
}

const outliers: Look = (_table, columns) => {
  const affected = columns
    .filter(({ numbers }) => (numbers?.outliers ?? 0) > 0)
    .sort((a, b) => (b.numbers?.outliers ?? 0) - (a.numbers?.outliers ?? 0))
  if (affected.length === 0) return undefined
  return {
    kind: "outliers",
    message: `Some values lie far from the others (more than 1.5 interquartile ranges beyond a quartile): ${list(affected.map(({ name, numbers }) => `${quoted(name)} has ${numbers?.outliers ?? 0}`))}. Every mean includes them.`,
    columns: names(affected),
    count: affected.reduce((sum, { numbers }) => sum + (numbers?.outliers ?? 0), 0),
  }
}

/** Texts that a person reads as numbers, but a program cannot read for certain: `1,234`, `1.234,50`, `€ 12` and `12 %`. */
const WRITTEN_NUMBER = /^[\p{Sc}\s]*[+-]?\d[\d\s.,'’]*[\p{Sc}%\s]*$/u

/** The regular expression above takes quadratic time for a cell of 100,000 spaces. */
const LONGEST_WRITTEN_NUMBER = 100

const numbersAsText: Look = (_table, columns) => {
  const affected = columns.flatMap((column) => {
    if (column.type === "date" || column.type === "integer" || column.type === "number") return []
    const texts = column.cells.filter(
      ({ missing, number, date, text }) =>
        !missing &&
        number === undefined &&
        date === undefined &&
        text.length <= LONGEST_WRITTEN_NUMBER &&
        WRITTEN_NUMBER.test(text) &&
        !/^0\d+$/.test(text.trim()),
    )
    const [first] = texts
    return first ? [{ column, first: first.text, cells: texts.length }] : []
  })
  if (affected.length === 0) return undefined
  const each = affected.map(
    ({ column, first, cells }) => `${quoted(column.name)} has ${cells} (such as ${quoted(first)})`,
  )
  return {
    kind: "numbers_as_text",
    message: `Some cells look like numbers but are not written as plain numbers, so they count as text: ${list(each)}.`,
    columns: names(affected.map(({ column }) => column)),
    count: affected.reduce((sum, { cells }) => sum + cells, 0),
  }
}

const ambiguousDates: Look = (_table, columns) => {
  const affected = columns.filter(({ dates }) => dates?.ambiguous)
  if (affected.length === 0) return undefined
  return {
    kind: "ambiguous_dates",
    message: `The dates in ${list(names(affected).map(quoted))} could be read with the day or the month first. They were read with the month first.`,
    columns: names(affected),
    count: affected.length,
  }
}

const constant: Look = (table, columns) => {
  const affected = columns.filter((column) => table.rows > 1 && column.distinct === 1 && column.missing === 0)
  if (affected.length === 0) return undefined
  return {
    kind: "constant_columns",
    message: `${list(names(affected).map(quoted))} ${affected.length === 1 ? "has" : "have"} the same value in every row, so no groups can be made of it.`,
    columns: names(affected),
    count: affected.length,
  }
}
