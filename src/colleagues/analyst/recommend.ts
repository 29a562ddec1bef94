import { count } from "../wording.ts"
import { MOST_GROUPS } from "./group.ts"
import { mentioned } from "./mention.ts"
import type { ColumnProfile } from "./statistics.ts"

/** The column to group by, and the reason as a clause after "because". */
export type Recommendation = { readonly column: ColumnProfile; readonly because: string }

/**
 * Chooses the column to group by: the one that the objective names; or else the first with two to twelve values that repeat, of which a text
 * counts before a number; or else a date, a number, or the column with the fewest missing values.
 */
export function recommend(columns: readonly ColumnProfile[], objective: string): Recommendation | undefined {
  // In a sentence a name of one or two letters is rarely a column.
  const names = columns.map(({ name }) => (name.length > 2 ? name : ""))
  const named = columns[mentioned(objective, names)[0] ?? -1]
  if (named) return { column: named, because: "the objective names it" }
  const handful = columns.filter(isHandful)
  const best = handful.find(({ numbers }) => numbers === undefined) ?? handful[0]
  if (best) {
    const sorted = `it sorts ${count(best.rows - best.missing, "row")} into ${count(best.distinct, "group")}`
    return { column: best, because: sorted }
  }
  const date = columns.find(({ type, distinct }) => type === "date" && distinct > 1)
  if (date) return { column: date, because: "the groups show the course over time" }
  const number = columns.find(({ numbers, type, distinct }) => numbers && type !== "mixed" && distinct > 1)
  if (number)
    return {
      column: number,
      because: `its ${count(number.distinct, "distinct value")} can be cut at their quartiles`,
    }
  const fullest = columns.toSorted((a, b) => a.missing - b.missing)[0]
  return fullest && { column: fullest, because: "it has the fewest missing values, and no column makes groups" }
}

/** Whether the column has two to twelve values that repeat, in more than half of the rows. */
function isHandful({ type, rows, missing, distinct }: ColumnProfile): boolean {
  const present = rows - missing
  return type !== "date" && distinct > 1 && distinct <= MOST_GROUPS && present >= 2 * distinct && 2 * present > rows
}
