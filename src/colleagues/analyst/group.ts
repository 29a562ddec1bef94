import { figure } from "../wording.ts"
import { average, quantile } from "./statistics.ts"
import type { ColumnProfile } from "./statistics.ts"

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

type Key = { readonly label: string; readonly order: number }

/** The most groups that a person reads. The values of further groups are counted together. */
export const MOST_GROUPS = 12

const numeric = (column: ColumnProfile): boolean => column.type === "integer" || column.type === "number"

/** The other columns whose values are all or mostly numbers. */
export function measuresOf(columns: readonly ColumnProfile[], by: ColumnProfile): readonly ColumnProfile[] {
  return columns.filter((column) => isMeasure(column) && column.position !== by.position)
}

/**
 * Groups the rows by a column. Numbers with few values are grouped by value, other numbers at their quartiles, and dates by day, month,
 * year or decade, so that there are at most twelve groups. Other columns are grouped by value, with the largest group first.
 */
export function groupBy(columns: readonly ColumnProfile[], by: ColumnProfile): Grouping {
  const { manner, kind, keys } = keysOf(by)
  const members = new Map<string, { kind: Group["kind"]; order: number; label: string; rows: number[] }>()
  by.cells.forEach((cell, row) => {
    const key = cell.missing ? undefined : keys(row)
    const id = key ? `${key.order}=${key.label}` : "missing"
    const group = members.get(id) ?? {
      kind: key ? kind : "missing",
      order: key?.order ?? 0,
      label: key?.label ?? "no value",
      rows: [],
    }
    group.rows.push(row)
    members.set(id, group)
  })
  const measures = measuresOf(columns, by)
  const values = [...members.values()].filter(({ kind }) => kind !== "missing").sort((a, b) => a.order - b.order)
  const shown = values.length > MOST_GROUPS ? values.slice(0, MOST_GROUPS - 1) : values
  const rest = values.slice(shown.length)
  const other = {
    kind: "other" as const,
    label: `${figure(rest.length)} other values`,
    rows: rest.flatMap(({ rows }) => rows),
  }
  const missing = members.get("missing")
  return {
    by,
    manner,
    measures,
    groups: [...shown, ...(rest.length > 0 ? [other] : []), ...(missing ? [missing] : [])].map(
      ({ label, kind, rows }) => ({
        label,
        kind,
        rows: rows.length,
        means: measures.map((measure) => meanOf(measure, rows)),
      }),
    ),
  }
}

function isMeasure(column: ColumnProfile): boolean {
  if (numeric(column)) return true
  return column.type === "mixed" && (column.numbers?.count ?? 0) * 2 > column.rows - column.missing
}

/** Whether the numbers of a column count the rows, as invoice numbers do. The mean of such numbers says nothing. */
export function isSequence({ type, distinct, rows, missing, numbers }: ColumnProfile): boolean {
  const present = rows - missing
  return (
    type === "integer" &&
    numbers !== undefined &&
    present > 9 &&
    distinct > present * 0.9 &&
    numbers.max - numbers.min < present * 1.5
  )
}

/**
 * The share of a measure's variance that the groups explain, from 0 to 1. `share` is the correlation ratio (eta squared). `adjusted`
 * leaves out the part that as many groups explain by chance (epsilon squared, Kelley 1935). Undefined when the measure does not vary, or
 * when the groups have fewer than two rows on average.
 */
export function explained(
  grouping: (row: number) => string | undefined,
  measure: ColumnProfile,
): { share: number; adjusted: number } | undefined {
  const groups = new Map<string, number[]>()
  measure.cells.forEach(({ number }, row) => {
    const key = grouping(row)
    if (number === undefined || key === undefined) return
    const group = groups.get(key)
    if (group) group.push(number)
    else groups.set(key, [number])
  })
  const all = [...groups.values()].flat()
  if (groups.size < 2 || all.length < groups.size * 2) return undefined
  const centre = average(all)
  const total = all.reduce((sum, number) => sum + (number - centre) ** 2, 0)
  const between = [...groups.values()].reduce((sum, group) => sum + group.length * (average(group) - centre) ** 2, 0)
  if (!(total > 0) || !Number.isFinite(total)) return undefined
  const share = Math.min(between / total, 1)
  return { share, adjusted: Math.max(0, 1 - ((1 - share) * (all.length - 1)) / (all.length - groups.size)) }
}

function meanOf(measure: ColumnProfile, rows: readonly number[]): number | undefined {
  const numbers = rows.flatMap((row) => measure.cells[row]?.number ?? [])
  return numbers.length === 0 ? undefined : average(numbers)
}

type Keys = { readonly manner: string; readonly kind: "value" | "range"; readonly keys: (row: number) => Key }

function keysOf(by: ColumnProfile): Keys {
  if (by.dates) return keysOfDates(by, by.dates)
  if (numeric(by) && by.distinct > MOST_GROUPS) return keysOfQuarters(by)
  const values = new Map<string, { label: string; count: number }>()
  for (const { key, text, missing } of by.cells) {
    if (!missing) values.set(key, { label: values.get(key)?.label ?? text, count: (values.get(key)?.count ?? 0) + 1 })
  }
  return {
    manner: "by the values of",
    kind: "value",
    keys: (row) => {
      const { key = "", number = 0 } = by.cells[row] ?? {}
      const { label = "", count = 0 } = values.get(key) ?? {}
      return { label, order: numeric(by) ? number : -count }
    },
  }
}

function keysOfQuarters(by: ColumnProfile): Keys {
  const ascending = by.cells.flatMap(({ number }) => number ?? []).sort((a, b) => a - b)
  const inner = [0.25, 0.5, 0.75].map((p) => quantile(ascending, p))
  const edges = [...new Set([ascending[0] ?? 0, ...inner, ascending.at(-1) ?? 0])]
  return {
    manner: "at the quartiles of",
    kind: "range",
    keys: (row) => {
      const value = by.cells[row]?.number ?? 0
      const above = edges.findIndex((edge, index) => index > 0 && value <= edge)
      const index = Math.max(above, 1)
      const [low = 0, high = 0] = [edges[index - 1], edges[index]]
      return { label: `${index === 1 ? "" : "over "}${figure(low)} to ${figure(high)}`, order: index }
    },
  }
}

function keysOfDates(by: ColumnProfile, { earliest, latest }: { earliest: number; latest: number }): Keys {
  const days = (latest - earliest) / 86_400_000
  const iso = (row: number): string => new Date(by.cells[row]?.date ?? 0).toISOString()
  const [manner, label]: [string, (row: number) => string] =
    days < MOST_GROUPS - 1
      ? ["by the day in", (row) => iso(row).slice(0, 10)]
      : days < (MOST_GROUPS - 2) * 30
        ? ["by the month in", (row) => iso(row).slice(0, 7)]
        : days < (MOST_GROUPS - 2) * 365
          ? ["by the year in", (row) => iso(row).slice(0, 4)]
          : ["by the decade in", (row) => `${iso(row).slice(0, 3)}0s`]
  return {
    manner,
    kind: "range",
    keys: (row: number): Key => ({ label: label(row), order: Number(label(row).replace(/\D/g, "")) }),
  }
}
