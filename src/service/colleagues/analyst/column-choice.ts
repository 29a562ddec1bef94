/** Chooses the columns that the analyst compares, and understands an answer about them. */
import { agrees, count, quoted } from "../wording.ts"
import { GROUPS_MAX } from "./group.ts"
import type { ColumnProfile } from "./column-profile.ts"

/** The column to group by, and the reason as a clause after "because". */
export type Recommendation = { readonly column: ColumnProfile; readonly because: string }

/**
 * Chooses the column to group by: the column that the objective names; else the first text, then the first number, with two to twelve values that
 * repeat; else the first date; else the first number; else the column with the fewest missing values.
 */
export function recommend(columns: readonly ColumnProfile[], objective: string): Recommendation | undefined {
  // In a sentence a name of one or two letters is rarely a column.
  const [named] = mentioned(
    objective,
    columns.filter(({ name }) => name.length > 2),
  )
  if (named) return { column: named, because: "the objective names it" }
  const handful = columns.filter(isHandful)
  const best = handful.find(({ numbers }) => numbers === undefined) ?? handful[0]
  if (best) {
    const sorted = `it divides ${count(best.rows - best.missing, "row")} into ${count(best.distinct, "group")}`
    return { column: best, because: sorted }
  }
  const date = columns.find(({ type, distinct }) => type === "date" && distinct > 1)
  if (date) return { column: date, because: "the groups show changes over time" }
  const number = columns.find(({ numbers, type, distinct }) => numbers && type !== "mixed" && distinct > 1)
  if (number)
    return {
      column: number,
      because: `its ${count(number.distinct, "distinct value")} can be grouped by quartile`,
    }
  const fullest = columns.toSorted((a, b) => a.missing - b.missing)[0]
  return (
    fullest && {
      column: fullest,
      because: "it has the fewest missing values, and no column divides the rows into groups",
    }
  )
}

/** Whether the column has two to twelve values, each twice on average, in more than half of the rows. Dates are grouped by time instead. */
function isHandful({ type, rows, missing, distinct }: ColumnProfile): boolean {
  const present = rows - missing
  const isFew = distinct > 1 && distinct <= GROUPS_MAX
  const isRepeated = present >= 2 * distinct
  return type !== "date" && isFew && isRepeated && 2 * present > rows
}

/** The column that the owner's answer chose. `how` is a whole sentence for the report and the events. */
export type Choice = { readonly column: ColumnProfile; readonly how: string; readonly understood: boolean }

/**
 * Chooses the column that an answer means: by the name of a column, by a yes, or by `recommendedAction` word for word, which the button
 * `Use recommendation` sends and which may also name other columns. Any other answer takes the recommendation, and `how` says so.
 */
export function understand(
  answer: string,
  columns: readonly ColumnProfile[],
  { column, because }: Recommendation,
  recommendedAction: string,
): Choice {
  const text = answer.trim()
  const recommended = {
    column,
    understood: true,
    how: `The answer accepted the recommendation, ${quoted(column.name)}.`,
  }
  if (text === recommendedAction.trim()) return recommended
  const exact = columns.find(({ name }) => name === text)
  const [first, second] = mentioned(text, columns)
  const named = exact ?? first
  if (named) {
    const also = exact === undefined && second ? `, the first column that it names` : ""
    return { column: named, understood: true, how: `The answer chose ${quoted(named.name)}${also}.` }
  }
  if (agrees(text)) return recommended
  return {
    column,
    understood: false,
    how: `The answer names no column of this file, so I used the recommendation: ${quoted(column.name)}, because ${because}.`,
  }
}

const NEGATED =
  /(?:\bnot(?: by| the)?|\binstead of|\brather than|\bexcept|\bwithout)(?: the)?(?: column)?\s*["'“”‘’`«»]*$/i

/** A negation is looked for in this many characters before a name. Every negation of the expression above is shorter. */
const NEGATION_CHARACTERS = 40

/** The most places at which one name is looked for. A hostile text repeats a name thousands of times. */
const PLACES_MAX = 20

/**
 * The columns whose names a sentence has as whole words, in the order of the sentence. Letter case counts only between names that differ in
 * nothing else. A longer name counts, and not the name within it (`temp_max`, and not `temp`). A name after `not` or `instead of` does not count.
 */
function mentioned(text: string, columns: readonly ColumnProfile[]): readonly ColumnProfile[] {
  const found = columns.flatMap((column) => {
    const { name } = column
    if (name === "") return []
    const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(name)}(?![\\p{L}\\p{N}_])`, "giu")
    return [...text.matchAll(whole).take(PLACES_MAX)].map(({ index: start, 0: match }) => {
      return { column, start, end: start + match.length, isExact: match === name }
    })
  })
  // The longest name at a place comes first, then the one in exactly this letter case. A name that begins within another does not count.
  found.sort((a, b) => a.start - b.start || b.end - a.end || Number(b.isExact) - Number(a.isExact))
  const meant = new Set<ColumnProfile>()
  let lastEnd = 0
  for (const { column, start, end } of found) {
    if (start < lastEnd) continue
    lastEnd = end
    const isNegated = NEGATED.test(text.slice(Math.max(start - NEGATION_CHARACTERS, 0), start))
    if (!isNegated) meant.add(column)
  }
  return [...meant]
}
