/** The letters that the analyst asks approval for, and the destinations that an objective names. */
import type { ApprovalRequest, Letter } from "../colleague.ts"
import { couldNotRead, count, figure, list, percentage, quoted, visible } from "../wording.ts"
import { type Grouping, mostSpreadMeasure } from "./group.ts"
import type { Grouped, Results } from "./result-types.ts"
import { spoken } from "./report.ts"

/** Where the letter goes when the objective names no destination. Nobody can receive mail at `.example` (RFC 2606). */
const DEFAULT_DESTINATION = "team@workdesk.example"
/** Where the demonstration's second letter goes when the objective names no second destination. */
const ARCHIVE_DESTINATION = "archive@workdesk.example"

// Three kinds of destination in the text of an objective, each without the punctuation around it.
/** `ada@example.org`, also in `<ada@example.org>` and `to ada@example.org.` */
const ADDRESS = /(?<![\p{L}\p{N}._%+/-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/u
/** `https://example.org/inbox?team=1`, also before a full stop or in brackets. */
const LINK = /\bhttps?:\/\/[^\s<>"'`]+[^\s<>"'`.,;:!?)\]}]/u
/** `#sales-north` at the beginning of a word and with a letter: not `#12`, and not the fragment of a web address. */
const CHANNEL = /(?<=^|[\s("'“])#(?=[\p{L}\p{N}_-]*\p{L})[\p{L}\p{N}][\p{L}\p{N}_-]*/u
const DESTINATION = new RegExp([LINK, ADDRESS, CHANNEL].map(({ source }) => source).join("|"), "gu")

/**
 * The requests for approval: one for a letter to the first destination that the objective names, or else to the default destination. With
 * `approval:second` in the objective, the demonstration has a second request: a copy of the letter for an archive.
 */
export function approvalRequests(results: Results): readonly [ApprovalRequest, ...ApprovalRequest[]] {
  const [first, second] = destinationsIn(results.objective)
  const destination = first ?? DEFAULT_DESTINATION
  const request = approvalRequest(letterTo(destination, results), results, first === undefined)
  const isCopyAsked = results.demonstration && results.objective.includes("approval:second")
  return isCopyAsked ? [request, copyRequest(destination, second, results)] : [request]
}

/** The request for a copy of the letter, to the destination that the objective names second or else to another than the letter's. */
function copyRequest(letterDestination: string, named: string | undefined, results: Results): ApprovalRequest {
  const other = letterDestination === ARCHIVE_DESTINATION ? DEFAULT_DESTINATION : ARCHIVE_DESTINATION
  const copy = { ...letterTo(named ?? other, results), subject: `Copy for the archive: ${subject(results)}` }
  return approvalRequest(copy, results, named === undefined)
}

/** The e-mail addresses, `#channels` and web addresses that an objective names: in their order, each once, exactly as written. */
export function destinationsIn(objective: string): readonly string[] {
  return [...new Set(objective.match(DESTINATION) ?? [])]
}

/** The letter exactly as it will be sent, because an approval is bound to its destination, subject and body. */
function letterTo(destination: string, results: Results): Letter {
  const { title, grouped, unreadable } = results
  return {
    destination,
    subject: subject(results),
    body: [
      "Hello,",
      ...(grouped.length === 0 ? ["There is no profile to send: no input could be read as a table."] : []),
      ...grouped.map(paragraphs),
      ...unreadable.map(couldNotRead),
      `The full profile is in profile.md, columns.csv and chart.svg of the Work ${quoted(title)}.`,
      "The analyst, a colleague at Workdesk",
    ].join("\n\n"),
  }
}

function approvalRequest(letter: Letter, { grouped }: Results, isDefaultDestination: boolean): ApprovalRequest {
  const files = list(grouped.map(({ table }) => visible(table.name)))
  return {
    ...letter,
    summary:
      grouped.length === 0
        ? `Tell ${letter.destination} that no input could be read`
        : `Send the profile of ${files} to ${letter.destination}`,
    risk:
      grouped.length === 0
        ? "Low: the letter only names the inputs and says why they could not be read."
        : "A sent letter can't be recalled. This one contains column names, group values, counts and means, but no individual rows.",
    policy_reason: isDefaultDestination
      ? "A summary is sent only with your approval. The objective names no mail address, #channel or web address, so the letter goes to the default destination."
      : "A summary is sent only with your approval. The objective names this destination.",
  }
}

function subject({ grouped, unreadable }: Results): string {
  const names = (of: readonly { readonly name: string }[]) =>
    list(
      of.map(({ name }) => visible(name, 30)),
      4,
    )
  const [first, second] = grouped
  if (first === undefined)
    return unreadable.length === 0 ? "Nothing to profile" : `Could not be read: ${names(unreadable)}`
  const profile = `Profile of ${names(grouped.map(({ table }) => table))}`
  if (second) return profile
  const by = first.grouping ? `, by ${visible(first.grouping.by.name)}` : ""
  return `${profile}: ${count(first.table.rows, "row")}${by}`
}

function paragraphs({ table, findings, grouping }: Grouped): string {
  const found = findings.map(({ message }) => `- ${message}`).join("\n")
  return [
    `${visible(table.name)} has ${count(table.rows, "row")} and ${count(table.columns.length, "column")}.`,
    ...(grouping
      ? [`Grouped ${grouping.manner} ${quoted(grouping.by.name)}:\n${groupLines(grouping, table.rows).join("\n")}`]
      : []),
    found === ""
      ? "No missing values, repeated rows, mixed types or outliers were found."
      : `Before you use the file:\n${found}`,
  ].join("\n\n")
}

function groupLines(grouping: Grouping, rows: number): string[] {
  const mostSpread = mostSpreadMeasure(grouping)
  const name = grouping.measures[mostSpread]?.name ?? ""
  return grouping.groups.map((group) => {
    const mean = group.means[mostSpread]
    const average = mean === undefined ? "" : `, mean of ${quoted(name)} ${figure(mean)}`
    return `- ${spoken(group)}: ${count(group.rows, "row")} (${percentage(group.rows, rows)})${average}`
  })
}
