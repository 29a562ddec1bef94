import type { Question } from "../colleague.ts"
import { count, list, quoted, visible } from "../wording.ts"
import type { Profile } from "./profile.ts"
import type { Unreadable } from "./table.ts"

/** The analyst's one question, about these very files. With nothing to read it asks for something to read. */
export function questionAbout(profiles: readonly Profile[], unreadable: readonly Unreadable[]): Question {
  const failed = unreadable.map(({ name, reason }) => `${visible(name)} could not be read. ${reason}`)
  const askable = profiles.filter(({ recommendation }) => recommendation)
  if (askable.length === 0) return questionForInput(profiles, unreadable, failed)
  const files = list(askable.map(({ table }) => visible(table.name)))
  return {
    title: askable.length === 1 ? `Which column of ${files} matters most?` : `Which columns of ${files} matter most?`,
    what_happened: [...profiles.map(described), ...failed].join(" "),
    why_needed: "The rows will be grouped by this column: the means, the chart and the letter compare its groups.",
    recommended_action: askable
      .map(({ table, recommendation }) => {
        const of = askable.length === 1 ? "" : ` of ${visible(table.name)}`
        return recommendation ? `Group by ${quoted(recommendation.column.name)}${of}: ${recommendation.because}.` : ""
      })
      .join(" "),
    consequences:
      "Until you answer, nothing is grouped or sent. Another column gives other groups and another letter; the figures of each column stay the same. An answer that names no column takes the recommendation.",
  }
}

function described({ table, columns, findings }: Profile): string {
  const types = columns.map(({ name, type }) => `${quoted(name)} (${type})`)
  const first = findings[0] ? ` ${findings[0].message}` : ""
  return `${visible(table.name)} has ${count(table.rows, "row")} and ${count(columns.length, "column")}: ${list(types, 8)}.${first}`
}

function questionForInput(
  profiles: readonly Profile[],
  unreadable: readonly Unreadable[],
  failed: readonly string[],
): Question {
  const empty = profiles.map(({ table }) => `${visible(table.name)} has a header and no rows.`)
  const none = profiles.length + unreadable.length === 0
  return {
    title: none
      ? "This Work has no input. Shall I finish without a profile?"
      : "There are no rows to profile. Shall I finish without?",
    what_happened: none
      ? "I work on CSV and JSON inputs, and this Work was created without any."
      : [...empty, ...failed].join(" "),
    why_needed:
      "Without rows there is nothing to count, to group or to draw, and an input cannot be added to Work that has begun.",
    recommended_action: "Finish without a profile, and start a new Work with a CSV or JSON file.",
    consequences:
      "Until you answer, this Work waits. If the answer itself is a small table (CSV or JSON with at least two columns and two rows), that is profiled. After any other answer the results say that there was nothing to profile.",
  }
}
