import { agrees, quoted } from "../wording.ts"
import { mentioned } from "./mention.ts"
import type { Recommendation } from "./recommend.ts"
import type { ColumnProfile } from "./statistics.ts"

/** The column that the owner's answer chose. `how` is a whole sentence for the report and the events. */
export type Choice = { readonly column: ColumnProfile; readonly how: string; readonly understood: boolean }

/**
 * Chooses the column that an answer means. An answer can be the recommended action word for word, the name of a column, or a yes. Any other
 * answer takes the recommendation, and `how` says so.
 * @param recommendedAction the text of the question, which the button `Use recommendation` sends; it may also name other columns
 */
export function understand(
  answer: string,
  columns: readonly ColumnProfile[],
  { column, because }: Recommendation,
  recommendedAction: string,
): Choice {
  const text = answer.trim()
  const recommended = { column, understood: true, how: `You took the recommendation, ${quoted(column.name)}.` }
  if (text === recommendedAction.trim()) return recommended
  const exact = columns.find(({ name }) => name === text)
  const names = columns.map(({ name }) => name)
  const [first, second] = mentioned(text, names).map((index) => columns[index])
  const named = exact ?? first
  if (named) {
    const also = exact === undefined && second ? `, the first of the columns that you named` : ""
    return { column: named, understood: true, how: `You chose ${quoted(named.name)}${also}.` }
  }
  if (agrees(text)) return recommended
  return {
    column,
    understood: false,
    how: `Your answer names no column of this file, so I took the recommendation: ${quoted(column.name)}, because ${because}.`,
  }
}
