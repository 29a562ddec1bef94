import { quoted } from "../wording.ts"
import { mentioned } from "./mention.ts"
import type { Recommendation } from "./recommend.ts"
import type { ColumnProfile } from "./statistics.ts"

/** The column that the owner's answer chose. `how` is a whole sentence for the report and the events. */
export type Choice = { readonly column: ColumnProfile; readonly how: string; readonly understood: boolean }

const AGREED =
  /^(?:y|yes|yep|yeah|ok|okay|sure|fine|agreed?|correct|right|please do|go ahead|do (?:it|that|so)|(?:as|use|take|follow)\b.*\brecommend\w*|recommended)\b/i

/**
 * Chooses the column that an answer means. An answer can be the recommended action word for word, the name of a column, `column 3`, or a
 * yes. Any other answer takes the recommendation, and `how` says so.
 *
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
  const [first, second] = mentioned(
    text,
    columns.map(({ name }) => name),
  ).map((index) => columns[index])
  const named = exact ?? first
  if (named) {
    const also = exact === undefined && second ? `, the first of the columns that you named` : ""
    return { column: named, understood: true, how: `You chose ${quoted(named.name)}${also}.` }
  }
  const position = columns[Number(/\b(?:column|no\.?|number)\s*#?(\d{1,4})\b/i.exec(text)?.[1] ?? 0) - 1]
  if (position)
    return {
      column: position,
      understood: true,
      how: `You chose column ${position.position}, ${quoted(position.name)}.`,
    }
  if (AGREED.test(text)) return recommended
  return {
    column,
    understood: false,
    how: `Your answer names no column of this file, so I took the recommendation: ${quoted(column.name)}, because ${because}.`,
  }
}
