import { count, figure, markdown, percentage, quoted } from "../wording.ts"
import type { Group, Grouping } from "./group.ts"
import type { Grouped, Results } from "./profile.ts"
import { QUARTILE_METHOD } from "./statistics.ts"
import type { ColumnProfile } from "./statistics.ts"

/** The most columns of means in the table of groups. */
const MOST_MEASURES = 8

/** Writes `profile.md`: the inputs, the findings, every column, the groups, and how the figures were calculated. */
export function reportMarkdown(results: Results): string {
  const { title, grouped, unreadable, answer } = results
  return (
    [
      `# ${markdown(title, 200)}`,
      summary(results),
      ...(unreadable.length > 0
        ? [
            "## Not read",
            bullets(unreadable.map(({ name, reason }) => `**${markdown(name)}**: ${markdown(reason, 500)}`)),
          ]
        : []),
      ...grouped.flatMap((one) => section(one)),
      "## How the figures were calculated",
      bullets([
        `Your answer to the question: ${answer.trim() === "" ? "only spaces" : markdown(answer, 300)}`,
        `${QUARTILE_METHOD}. The standard deviation is that of a sample (n − 1).`,
        "A value counts as missing when its cell is empty, has only spaces, or is `null` in JSON. In a column of numbers, of dates, or of yes and no, words such as NA and NaN count as missing too. Distinct values and means leave missing values out.",
        "The figures on this page are rounded. `columns.csv` has them in full precision. In that file, an apostrophe stands before each text that a spreadsheet would run as a formula.",
        "Names and values stand as they are in the files. A character that cannot be seen is shown as its code point. A long name or value is cut and ends with an ellipsis.",
      ]),
    ].join("\n\n") + "\n"
  )
}

function summary({ grouped, unreadable, objective }: Results): string {
  const read = grouped.map(
    ({ table }) =>
      `**${markdown(table.name)}** has ${count(table.rows, "row")} and ${count(table.columns.length, "column")} (${table.format})`,
  )
  const failed = unreadable.length === 0 ? "" : ` ${count(unreadable.length, "input")} could not be read.`
  const what =
    read.length === 0
      ? unreadable.length === 0
        ? "This Work has no input, so there was nothing to profile."
        : "No input could be read as a table."
      : `${read.join("; ")}.`
  return `${what}${read.length > 0 ? failed : ""}\n\nThe objective was: ${markdown(objective, 600)}`
}

function section({ table, columns, findings, choice, grouping }: Grouped): string[] {
  return [
    `## ${markdown(table.name)}`,
    "### What stands out",
    bullets([...table.notes, ...findings.map(({ message }) => message)].map((sentence) => markdown(sentence, 2000))) ||
      "Nothing: the file has no missing values, repeated rows, mixed types or outliers.",
    "### Columns",
    columnTable(columns),
    ...(columns.some(({ numbers }) => numbers) ? ["### Numbers", numberTable(columns)] : []),
    "### Most frequent values",
    bullets(columns.map((column) => `**${markdown(column.name)}**: ${frequent(column)}`)),
    ...(grouping && choice
      ? [
          `### Grouped by ${markdown(grouping.by.name)}`,
          `${markdown(choice.how, 500)} The rows are grouped ${grouping.manner} ${markdown(grouping.by.name)}.`,
          groupTable(grouping, table.rows),
        ]
      : []),
  ]
}

function columnTable(columns: readonly ColumnProfile[]): string {
  return table(
    ["Column", "Type", "Missing", "Distinct", "Range"],
    ["left", "left", "right", "right", "left"],
    columns.map((column) => [
      markdown(column.name),
      column.type,
      column.missing === 0 ? "0" : `${column.missing} (${percentage(column.missing, column.rows)})`,
      String(column.distinct),
      range(column),
    ]),
  )
}

function range({ numbers, dates }: ColumnProfile): string {
  if (dates) return `${day(dates.earliest)} to ${day(dates.latest)}`
  return numbers ? `${figure(numbers.min)} to ${figure(numbers.max)}` : ""
}

/** The day, or the minute where a time was given. */
export function day(time: number): string {
  const iso = new Date(time).toISOString()
  return iso.includes("T00:00:00.000Z")
    ? iso.slice(0, iso.indexOf("T"))
    : `${iso.slice(0, iso.indexOf("T") + 6).replace("T", " ")} UTC`
}

function numberTable(columns: readonly ColumnProfile[]): string {
  return table(
    ["Column", "Min", "Q1", "Median", "Q3", "Max", "Mean", "Standard deviation", "Outliers"],
    ["left", ...Array.from({ length: 8 }, () => "right" as const)],
    columns.flatMap(({ name, numbers }) =>
      numbers
        ? [
            [
              markdown(name),
              ...[numbers.min, numbers.q1, numbers.median, numbers.q3, numbers.max, numbers.mean].map(figure),
              numbers.standardDeviation === undefined ? "" : figure(numbers.standardDeviation),
              String(numbers.outliers),
            ],
          ]
        : [],
    ),
  )
}

function frequent({ frequent, distinct, rows, missing }: ColumnProfile): string {
  if (distinct === 0) return "no values."
  if (distinct === rows - missing && distinct > 1) return "every value is different."
  return `${frequent.map(({ value, count }) => `${markdown(value)} (${count})`).join(", ")}${distinct > frequent.length ? ", …" : ""}`
}

function groupTable({ groups, measures }: Grouping, rows: number): string {
  const shown = measures.slice(0, MOST_MEASURES)
  const left =
    measures.length > shown.length
      ? `\n\nThe table leaves out the means of ${measures.length - shown.length} more numeric columns.`
      : ""
  return (
    table(
      ["Group", "Rows", "Share", ...shown.map(({ name }) => `Mean of ${markdown(name, 30)}`)],
      ["left", ...Array.from({ length: shown.length + 2 }, () => "right" as const)],
      groups.map((group) => [
        labelOf(group),
        String(group.rows),
        percentage(group.rows, rows),
        ...shown.map((_, index) => (group.means[index] === undefined ? "" : figure(group.means[index]))),
      ]),
    ) + left
  )
}

/** Labels of the analyst are in italics, so that they differ from a value such as `no value` in the file. */
function labelOf({ label, kind }: Group): string {
  return kind === "value" || kind === "range" ? markdown(label) : `*${label}*`
}

/** The label of a group within a sentence. Values of the file are in quotation marks. */
export function spoken({ label, kind }: Group): string {
  return kind === "value" ? quoted(label) : label
}

function table(
  header: readonly string[],
  align: readonly ("left" | "right")[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`
  return [line(header), line(align.map((side) => (side === "right" ? "---:" : "---"))), ...rows.map(line)].join("\n")
}

function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n")
}
