import { count, percentage, quoted } from "../wording.ts"
import { MOST_GROUPS, explained, isSequence, measuresOf } from "./group.ts"
import { mentioned } from "./mention.ts"
import type { ColumnProfile } from "./statistics.ts"

/** The column to group by, and the reason as a clause after "because". */
export type Recommendation = { readonly column: ColumnProfile; readonly because: string }

/** The most columns that are compared, and the most measures for each. The time grows with their product. */
const MOST_CANDIDATES = 40
const MOST_MEASURES = 20

/**
 * Chooses the column to group by, in this order: the column that the objective names; of the columns with two to twelve values, the one
 * that explains most of the variance of the other columns; a date; the first number; the column with the fewest missing values.
 */
export function recommend(columns: readonly ColumnProfile[], objective: string): Recommendation | undefined {
  const named =
    columns[
      mentioned(
        objective,
        columns.map(({ name }) => (name.length > 2 ? name : "")),
      )[0] ?? -1
    ]
  if (named) return { column: named, because: "the objective names it" }
  const candidates = columns.filter(isHandful).slice(0, MOST_CANDIDATES)
  const best = candidates
    .map((column) => ({ column, ...strength(columns, column) }))
    .sort((a, b) => rank(b) - rank(a))[0]
  if (best) return { column: best.column, because: because(best.column, best) }
  const date = columns.find((column) => column.type === "date" && column.distinct > 1)
  if (date)
    return {
      column: date,
      because: `it dates ${count(date.rows - date.missing, "row")}, so the groups show the course over time`,
    }
  const number = columns.find(
    (column) => column.numbers !== undefined && column.type !== "mixed" && column.distinct > 1,
  )
  if (number)
    return {
      column: number,
      because: `no column has a handful of values, and its ${count(number.distinct, "distinct value")} can be cut at their quartiles`,
    }
  const fullest = columns.toSorted((a, b) => a.missing - b.missing)[0]
  return (
    fullest && {
      column: fullest,
      because: "no column makes groups of more than a few rows, and this one has the fewest missing values",
    }
  )
}

/** Groups that explain less of the variance count as equal. Then the first column that is no number is recommended. */
const NOTHING_EXPLAINED = 0.02

function rank({ column, adjusted }: Strength & { readonly column: ColumnProfile }): number {
  if (adjusted >= NOTHING_EXPLAINED) return 1 + adjusted
  return column.numbers ? 0 : 1 / (1 + column.position)
}

/** Whether the column has two to twelve values that repeat, in more than half of the rows. Only such columns are compared. */
function isHandful(column: ColumnProfile): boolean {
  const present = column.rows - column.missing
  return (
    column.type !== "date" &&
    column.distinct > 1 &&
    column.distinct <= MOST_GROUPS &&
    present >= column.distinct * 2 &&
    present * 2 > column.rows
  )
}

/** How much the groups of a column explain. `mean` and `adjusted` are averages over all measures. `best` is the measure explained most. */
type Strength = {
  readonly mean: number
  readonly adjusted: number
  readonly best: { readonly measure: ColumnProfile; readonly share: number } | undefined
}

function strength(columns: readonly ColumnProfile[], by: ColumnProfile): Strength {
  const key = (row: number): string | undefined => (by.cells[row]?.missing ? undefined : by.cells[row]?.key)
  const shares = measuresOf(columns, by)
    .filter((measure) => !isSequence(measure))
    .slice(0, MOST_MEASURES)
    .flatMap((measure) => {
      const found = explained(key, measure)
      return found === undefined ? [] : [{ measure, ...found }]
    })
  const average = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)
  return {
    mean: average(shares.map(({ share }) => share)),
    adjusted: average(shares.map(({ adjusted }) => adjusted)),
    best: shares.sort((a, b) => b.adjusted - a.adjusted)[0],
  }
}

function because(column: ColumnProfile, { mean, adjusted, best }: Strength): string {
  const sorted = `it sorts ${count(column.rows - column.missing, "row")} into ${count(column.distinct, "group")}`
  if (!best || adjusted < NOTHING_EXPLAINED) return `${sorted}, and no column explains the others any better`
  const average = best.share - mean < 0.005 ? "" : ` (${percentage(mean, 1)} on average)`
  return `${sorted} that explain more of the other columns than any other grouping does, their number allowed for: ${percentage(best.share, 1)} of the variance of ${quoted(best.measure.name)}${average}`
}
