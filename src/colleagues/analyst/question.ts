import type { Question } from "../colleague.ts"
import { askWithoutInput, count, list, quoted, visible } from "../wording.ts"
import type { Profile } from "./profile.ts"
import type { Unreadable } from "./table.ts"

/** The question of the analyst: which column of the files matters most. Without a readable input it asks whether to finish. */
export function questionAbout(profiles: readonly Profile[], unreadable: readonly Unreadable[]): Question {
  const failed = unreadable.map(({ name, reason }) => `${visible(name)} could not be read. ${reason}`)
  const askable = profiles.filter(({ recommendation }) => recommendation)
  if (askable.length === 0) {
    const empty = profiles.map(({ table }) => `${visible(table.name)} has a header and no rows.`)
    return askWithoutInput("profile", "CSV or JSON", [...empty, ...failed])
  }
  const files = list(askable.map(({ table }) => visible(table.name)))
  return {
    title: askable.length === 1 ? `Which column of ${files} matters most?` : `Which columns of ${files} matter most?`,
    what_happened: [...profiles.map(described), ...failed].join(" "),
    why_needed: "I will group the rows by this column. The means, the chart and the letter compare the groups.",
    recommended_action: askable
      .map(({ table, recommendation }) => {
        const of = askable.length === 1 ? "" : ` of ${visible(table.name)}`
        return recommendation ? `Group by ${quoted(recommendation.column.name)}${of}: ${recommendation.because}.` : ""
      })
      .join(" "),
    consequences:
      "Until you answer, I group nothing and send nothing. The groups and the letter depend on the column that you name. The figures of each column do not. If your answer names no column, I take the recommendation.",
  }
}

function described({ table, columns, findings }: Profile): string {
  const types = columns.map(({ name, type }) => `${quoted(name)} (${type})`)
  const first = findings[0] ? ` ${findings[0].message}` : ""
  return `${visible(table.name)} has ${count(table.rows, "row")} and ${count(columns.length, "column")}: ${list(types, 8)}.${first}`
}
