/** Profiles CSV and JSON: reads the inputs, asks which column matters most, delivers its results, and sends a summary if it is approved. */
import { pluralForm } from "../../../contract/plural.ts"
import type { Colleague, Host, Question } from "../colleague.ts"
import { chartSvg } from "./chart.ts"
import { recommend, understand } from "./column-choice.ts"
import { columnsCsv } from "./columns-csv.ts"
import { findingsOf } from "./finding.ts"
import { groupBy } from "./group.ts"
import { approvalRequests } from "./letter.ts"
import type { Grouped, Profile, Results } from "./result-types.ts"
import { readTable } from "./read-table.ts"
import { reportMarkdown, spoken } from "./report.ts"
import { type ColumnProfile, profileTable } from "./column-profile.ts"
import type { Table } from "./table.ts"
import { askWithoutInput, couldNotRead, count, figure, list, quoted, type Unreadable, visible } from "../wording.ts"

/** How long the profiling of all inputs takes together, in seconds times `pace`, so that a person can watch the events. */
const WATCHING_SECONDS = 8

/** The part of the watching time that the events of the columns get. The findings get the rest. */
const COLUMNS_SHARE = 0.7

/** The most columns of a file that get an event each. */
const COLUMN_EVENTS_MAX = 12

export const analyst: Colleague = {
  id: "analyst",
  version: 1,
  label: "Analyst",
  does: "Profiles CSV and JSON",
  async run(host) {
    const { profiles, unreadable } = await profileInputs(host)
    const question = questionAbout(profiles, unreadable)
    const answer = await host.ask(question)
    const grouped = await groupAll(host, profiles, answer, question.recommended_action)
    const { title, objective, demonstration } = host.work
    const results: Results = { title, objective, demonstration, grouped, unreadable, answer }
    await host.pause(1)
    // The results come before the approval, so that the person who decides can read them.
    await host.deliver({ path: "profile.md", media_type: "text/markdown", content: reportMarkdown(results) })
    await host.deliver({ path: "columns.csv", media_type: "text/csv", content: columnsCsv(grouped) })
    await host.deliver({ path: "chart.svg", media_type: "image/svg+xml", content: chartSvg(grouped) })
    await host.finish(`${accomplished(results)} ${await sendLetters(host, results)}`)
  },
}

async function profileInputs(host: Host): Promise<{ profiles: Profile[]; unreadable: Unreadable[] }> {
  const { inputs } = host.work
  if (inputs.length === 0) await host.publish("input.none", { message: "This Work has no input to profile." })
  const profiles: Profile[] = []
  const unreadable: Unreadable[] = []
  for (const input of inputs) {
    const read = readTable(input)
    if (!("reason" in read)) {
      profiles.push(await profile(host, read, WATCHING_SECONDS / inputs.length))
      continue
    }
    unreadable.push(read)
    await host.publish("input.unreadable", { message: couldNotRead(read), input: read.name, reason: read.reason })
  }
  return { profiles, unreadable }
}

async function profile(host: Host, table: Table, seconds: number): Promise<Profile> {
  const { name, format, rows, notes } = table
  await host.publish("input.read", {
    message: `Read ${visible(name)}: ${count(rows, "row")}, ${count(table.columns.length, "column")}, ${format}.`,
    input: name,
    rows,
    columns: table.columns.length,
    notes,
  })
  const columns = profileTable(table)
  const announced = columns.slice(0, COLUMN_EVENTS_MAX)
  for (const column of announced) {
    await host.pause((seconds * COLUMNS_SHARE) / announced.length)
    await host.publish("column.profiled", {
      message: describe(column),
      input: name,
      column: column.name,
      type: column.type,
      missing: column.missing,
      distinct: column.distinct,
    })
  }
  const findings = findingsOf(table, columns)
  for (const finding of findings) {
    await host.pause((seconds * (1 - COLUMNS_SHARE)) / findings.length)
    await host.publish("finding", { ...finding, input: name })
  }
  return { table, columns, findings, recommendation: rows === 0 ? undefined : recommend(columns, host.work.objective) }
}

function describe({ name, type, missing, distinct, numbers, frequent }: ColumnProfile): string {
  if (type === "empty") return `${quoted(name)} has no values.`
  const gaps = missing === 0 ? "nothing missing" : `${figure(missing)} missing`
  const [most] = frequent
  const often = most && most.count > 1 ? `, most often ${quoted(most.value)} (${most.count})` : ""
  const values =
    numbers && type !== "mixed"
      ? `${figure(numbers.min)} to ${figure(numbers.max)}, median ${figure(numbers.median)}, mean ${figure(numbers.mean)}`
      : `${count(distinct, "distinct value")}${often}`
  return `${quoted(name)}: ${type}, ${values}, ${gaps}.`
}

/** The question of the analyst: which column of the files matters most. Without a readable input it asks whether to finish. */
function questionAbout(profiles: readonly Profile[], unreadable: readonly Unreadable[]): Question {
  const failed = unreadable.map(couldNotRead)
  const askable = profiles.filter(({ recommendation }) => recommendation)
  if (askable.length === 0) {
    const empty = profiles.map(({ table }) => `${visible(table.name)} has a header and no rows.`)
    return askWithoutInput("profile", "CSV or JSON", [...empty, ...failed])
  }
  const files = list(askable.map(({ table }) => visible(table.name)))
  return {
    title: `Which ${pluralForm(askable.length, "column", "columns")} of ${files} ${pluralForm(askable.length, "matters", "matter")} most?`,
    what_happened: [...profiles.map(introduce), ...failed].join(" "),
    why_needed: "I will group the rows by this column. The means, the chart and the letter compare the groups.",
    recommended_action: askable
      .map(({ table, recommendation }) => {
        const of = askable.length === 1 ? "" : ` of ${visible(table.name)}`
        return recommendation ? `Group by ${quoted(recommendation.column.name)}${of}: ${recommendation.because}.` : ""
      })
      .join(" "),
    consequences:
      "Until you answer, I won't group or send anything. Your answer changes the groups and the letter, but not the figures for each column. If it names no column, I'll use the recommendation.",
  }
}

function introduce({ table, columns, findings }: Profile): string {
  const types = columns.map(({ name, type }) => `${quoted(name)} (${type})`)
  const first = findings[0] ? ` ${findings[0].message}` : ""
  return `${visible(table.name)} has ${count(table.rows, "row")} and ${count(columns.length, "column")}: ${list(types, 8)}.${first}`
}

async function groupAll(
  host: Host,
  profiles: readonly Profile[],
  answer: string,
  recommendedAction: string,
): Promise<Grouped[]> {
  const grouped: Grouped[] = []
  for (const one of profiles) {
    if (!one.recommendation) {
      grouped.push({ ...one, choice: undefined, grouping: undefined })
      continue
    }
    const choice = understand(answer, one.columns, one.recommendation, recommendedAction)
    const grouping = groupBy(one.columns, choice.column)
    grouped.push({ ...one, choice, grouping })
    const { how: message, column, understood } = choice
    const said = { input: one.table.name, column: column.name }
    await host.publish("answer.taken", { message, ...said, understood })
    await host.pause(1.5 / profiles.length)
    const all = grouping.groups.map((group) => `${spoken(group)} (${figure(group.rows)})`)
    const made = `${count(all.length, "group")} by ${quoted(column.name)}: ${list(all, 4)}`
    await host.publish("groups.made", { message: `${visible(said.input)} has ${made}.`, ...said, groups: all.length })
  }
  return grouped
}

/** Asks for the approval of each letter, and sends each approved letter. A decline ends the asking. Returns a sentence for the summary. */
async function sendLetters(host: Host, results: Results): Promise<string> {
  const sent: string[] = []
  for (const request of approvalRequests(results)) {
    await host.pause(1)
    const { decision, comment } = await host.requestApproval(request)
    if (decision === "decline") {
      const why = comment?.trim() ? ` The comment: ${quoted(comment)}.` : ""
      const before =
        sent.length === 0 ? "" : ` to ${request.destination}. The letter to ${list(sent)} had already been sent`
      return `The letter was declined, so nothing was sent${before}.${why}`
    }
    const { destination, subject, body } = request
    await host.send({ destination, subject, body })
    sent.push(destination)
  }
  return `The ${results.grouped.length > 0 ? "summary" : "letter about the missing input"} was sent to ${list(sent)}.`
}

function accomplished({ grouped, unreadable }: Results): string {
  const done = grouped.map(({ table, grouping }) => {
    const by = grouping ? `, grouped by ${quoted(grouping.by.name)}` : ""
    return `Profiled ${visible(table.name)} (${count(table.rows, "row")}, ${count(table.columns.length, "column")}${by}).`
  })
  const failed = unreadable.length === 0 ? [] : [`Could not read ${list(unreadable.map(({ name }) => visible(name)))}.`]
  const nothing = grouped.length + unreadable.length === 0 ? ["There was no input to profile."] : []
  return [...done, ...failed, ...nothing].join(" ")
}
