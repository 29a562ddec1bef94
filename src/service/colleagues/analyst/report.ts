/** Writes the analyst's report. */
import { count, figure, markdown, percentage, quoted } from "../wording.ts"
import type { Group, Grouping } from "./group.ts"
import type { Grouped, Results } from "./result-types.ts"
import type { ColumnProfile } from "./column-profile.ts"

/** The most columns of means in the table of groups. */
const MEASURES_MAX = 8

/** Writes `profile.md`: the inputs, the findings, every column, the groups, and how the figures were calculated. */
export function reportMarkdown(results: Results): string {
  const { title, objective, grouped, unreadable, answer } = results
  const nothing =
    unreadable.length > 0
      ? "No input could be read as a table."
      : "This Work has no input, so there was nothing to profile."
  const parts = [
    `# ${markdown(title, 200)}`,
    `The objective was: ${markdown(objective, 600)}`,
    ...(grouped.length === 0 ? [nothing] : []),
    ...(unreadable.length > 0 ? ["## Not read"] : []),
    ...unreadable.map(({ name, reason }) => `**${markdown(name)}**: ${markdown(reason, 500)}`),
    ...grouped.flatMap(section),
    "## How the figures were calculated",
    bullets([
      `The answer to the question: ${answer.trim() === "" ? "only spaces" : markdown(answer, 300)}`,
      "A value counts as missing when its cell is empty, contains only spaces, or is `null` in JSON. In a column of numbers, dates or yes/no values, words such as NA and NaN also count as missing. Missing values are excluded from means and from the number of distinct values.",
      "The figures on this page are rounded. `columns.csv` has them at full precision, with quartiles and the sample standard deviation. In that file, text that a spreadsheet would run as a formula begins with an apostrophe.",
    ]),
  ]
  return `${parts.join("\n\n")}\n`
}

function section({ table, columns, findings, choice, grouping }: Grouped): string[] {
  const { name, rows, format, notes } = table
  const standOut = [...notes, ...findings.map(({ message }) => message)]
  return [
    `## ${markdown(name)}`,
    `${count(rows, "row")} and ${count(columns.length, "column")} (${format}).`,
    "### What stands out",
    standOut.length > 0
      ? bullets(standOut.map((sentence) => markdown(sentence, 2000)))
      : "Nothing: the file has no missing values, repeated rows, mixed types or outliers.",
    "### Columns",
    tableOf(
      ["Column", "Type", "Missing", "Distinct", "Range", "Median", "Mean", "Most frequent"],
      columns.map((column) => [
        markdown(column.name),
        column.type,
        column.missing === 0 ? "0" : `${column.missing} (${percentage(column.missing, column.rows)})`,
        String(column.distinct),
        range(column),
        column.numbers ? figure(column.numbers.median) : "",
        column.numbers ? figure(column.numbers.mean) : "",
        mostFrequent(column),
      ]),
    ),
    ...(grouping && choice
      ? [
          `### Grouped by ${markdown(grouping.by.name)}`,
          `${markdown(choice.how, 500)} The rows are grouped ${grouping.manner} ${markdown(grouping.by.name)}.`,
          groupTable(grouping, rows),
        ]
      : []),
  ]
}

function range({ numbers, dates }: ColumnProfile): string {
  if (dates) return `${day(dates.earliest)} to ${day(dates.latest)}`
  return numbers ? `${figure(numbers.min)} to ${figure(numbers.max)}` : ""
}

const day = (time: number): string => new Date(time).toISOString().slice(0, 10)

function mostFrequent({ frequent, distinct, rows, missing }: ColumnProfile): string {
  if (distinct === 0) return "no values"
  // A single value is shown.
  if (distinct === rows - missing && distinct > 1) return "every value is different"
  const values = frequent.slice(0, 3).map(({ value, count }) => `${markdown(value, 30)} (${count})`)
  return `${values.join(", ")}${distinct > values.length ? ", …" : ""}`
}

function groupTable({ groups, measures }: Grouping, rows: number): string {
  const shown = measures.slice(0, MEASURES_MAX)
  const left = measures.length - shown.length
  const means = (group: Group) =>
    shown.map((_, index) => (group.means[index] === undefined ? "" : figure(group.means[index])))
  const table = tableOf(
    ["Group", "Rows", "Share", ...shown.map(({ name }) => `Mean of ${markdown(name, 30)}`)],
    groups.map((group) => [labelOf(group), String(group.rows), percentage(group.rows, rows), ...means(group)]),
  )
  return left > 0 ? `${table}\n\nThe table leaves out the means of ${count(left, "more column")}.` : table
}

/** Labels of the analyst are in italics, so that they differ from a value such as `no value` in the file. */
function labelOf({ label, kind }: Group): string {
  return kind === "value" || kind === "range" ? markdown(label) : `*${label}*`
}

/** The label of a group within a sentence. Values of the file are in quotation marks. */
export function spoken({ label, kind }: Group): string {
  return kind === "value" ? quoted(label) : label
}

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n")
}
