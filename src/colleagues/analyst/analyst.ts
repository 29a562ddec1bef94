import type { Colleague, Desk } from "../colleague.ts"
import { understand } from "./answer.ts"
import { chartSvg } from "./chart.ts"
import { columnsCsv } from "./columns-csv.ts"
import { findingsOf } from "./finding.ts"
import { groupBy } from "./group.ts"
import { approvalRequests } from "./letter.ts"
import type { Grouped, Profile, Results } from "./profile.ts"
import { questionAbout } from "./question.ts"
import { readTable } from "./read.ts"
import { recommend } from "./recommend.ts"
import { reportMarkdown, spoken } from "./report.ts"
import { profileColumn } from "./statistics.ts"
import type { ColumnProfile } from "./statistics.ts"
import type { Table, Unreadable } from "./table.ts"
import { count, figure, list, quoted, visible } from "../wording.ts"

/** How long the profiling of all inputs takes together, in seconds times `pace`, so that a person can watch the events. */
const WATCHING_SECONDS = 8

/** The most columns of a file that get an event each. */
const MOST_COLUMN_EVENTS = 12

/** The most characters of a cell in an event. A cell may have 100 kB, and an event is sent to every viewer. */
const MOST_EVENT_CHARACTERS = 200

/** Profiles CSV and JSON: reads the inputs, asks which column matters most, delivers its results, and sends a summary if it is approved. */
export const analyst: Colleague = {
  id: "analyst",
  version: 1,
  label: "Analyst: profiles CSV and JSON",
  async run(desk) {
    const { profiles, unreadable } = await profileInputs(desk)
    const question = questionAbout(profiles, unreadable)
    const answer = await desk.ask(question)
    const added = profiles.some(({ recommendation }) => recommendation) ? undefined : tableInAnswer(answer)
    if (added) profiles.push(await profile(desk, added, WATCHING_SECONDS / 2))
    const grouped = await groupAll(desk, profiles, answer, question.recommended_action)
    const { title, objective, demonstration } = desk.work
    const results: Results = { title, objective, demonstration, grouped, unreadable, answer }
    await desk.pause(1)
    // The results come before the approval, so that the person who decides can read them.
    await desk.deliver({ path: "profile.md", media_type: "text/markdown", content: reportMarkdown(results) })
    await desk.deliver({ path: "columns.csv", media_type: "text/csv", content: columnsCsv(grouped) })
    await desk.deliver({ path: "chart.svg", media_type: "image/svg+xml", content: chartSvg(grouped) })
    await desk.finish(`${accomplished(results)} ${await sendLetters(desk, results)}`)
  },
}

async function profileInputs(desk: Desk): Promise<{ profiles: Profile[]; unreadable: Unreadable[] }> {
  const { inputs } = desk.work
  if (inputs.length === 0) await desk.publish("input.none", { message: "This Work has no input to profile." })
  const profiles: Profile[] = []
  const unreadable: Unreadable[] = []
  for (const input of inputs) {
    const reading = readTable(input)
    if (reading.ok) {
      profiles.push(await profile(desk, reading.table, WATCHING_SECONDS / inputs.length))
    } else {
      unreadable.push(reading.unreadable)
      const { name, reason } = reading.unreadable
      await desk.publish("input.unreadable", {
        message: `${visible(name)} could not be read. ${reason}`,
        input: name,
        reason,
      })
    }
  }
  return { profiles, unreadable }
}

async function profile(desk: Desk, table: Table, seconds: number): Promise<Profile> {
  const { name, format, rows, notes } = table
  await desk.publish("input.read", {
    message: `Read ${visible(name)}: ${count(rows, "row")}, ${count(table.columns.length, "column")}, ${format}.`,
    input: name,
    rows,
    columns: table.columns.length,
    notes,
  })
  const events = Math.min(table.columns.length, MOST_COLUMN_EVENTS)
  const columns: ColumnProfile[] = []
  for (const column of table.columns) {
    const profiled = profileColumn(column, columns.length + 1)
    columns.push(profiled)
    if (profiled.position > events) continue
    await desk.pause((seconds * 0.7) / events)
    await desk.publish("column.profiled", { message: describe(profiled), input: name, ...figures(profiled) })
    if (profiled.position === Math.ceil(events / 2) && events > 3) await progress(desk, table, columns.length)
  }
  await progress(desk, table, columns.length)
  const findings = findingsOf(table, columns)
  for (const finding of findings) {
    await desk.pause((seconds * 0.3) / findings.length)
    await desk.publish("finding", { ...finding, input: name })
  }
  return { table, columns, findings, recommendation: rows === 0 ? undefined : recommend(columns, desk.work.objective) }
}

async function progress(desk: Desk, { name, rows, columns }: Table, done: number): Promise<void> {
  const part =
    done === columns.length ? `all ${count(done, "column")}` : `${done} of ${count(columns.length, "column")}`
  await desk.publish("progress", {
    message: `Profiled ${columns.length === 1 ? "the only column" : part} of ${visible(name)} over ${count(rows, "row")}.`,
    input: name,
    rows,
    columns_done: done,
    columns_total: columns.length,
  })
}

function describe({ name, type, missing, distinct, numbers, dates, frequent }: ColumnProfile): string {
  const gaps = missing === 0 ? "nothing missing" : `${figure(missing)} missing`
  if (type === "empty") return `${quoted(name)} has no values.`
  if (dates) return `${quoted(name)}: date, ${count(distinct, "distinct value")}, ${gaps}.`
  if (numbers && type !== "mixed") {
    return `${quoted(name)}: ${type}, ${figure(numbers.min)} to ${figure(numbers.max)}, median ${figure(numbers.median)}, mean ${figure(numbers.mean)}, ${gaps}.`
  }
  const most =
    frequent[0] && frequent[0].count > 1 ? `, most often ${quoted(frequent[0].value)} (${frequent[0].count})` : ""
  return `${quoted(name)}: ${type}, ${count(distinct, "distinct value")}${most}, ${gaps}.`
}

function figures({ name, type, missing, distinct, numbers, frequent }: ColumnProfile): Record<string, unknown> {
  const { min, q1, median, q3, max, mean } = numbers ?? {}
  return {
    column: name,
    type,
    missing,
    distinct,
    ...(numbers ? { min, q1, median, q3, max, mean } : {}),
    frequent: frequent.slice(0, 3).map(({ value, count }) => ({ value: visible(value, MOST_EVENT_CHARACTERS), count })),
  }
}

/** Reads an answer as a table. Undefined for an answer without at least two rows and two columns, such as prose with a comma. */
function tableInAnswer(answer: string): Table | undefined {
  const reading = readTable({ name: "your answer", mediaType: "text/plain", content: answer })
  return reading.ok && reading.table.rows > 1 && reading.table.columns.length > 1 ? reading.table : undefined
}

async function groupAll(
  desk: Desk,
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
    const input = one.table.name
    await desk.publish("answer.taken", {
      message: choice.how,
      input,
      column: choice.column.name,
      understood: choice.understood,
    })
    await desk.pause(1.5 / profiles.length)
    const groups = grouping.groups.map(({ label, kind, rows }) => ({
      label: visible(label, MOST_EVENT_CHARACTERS),
      kind,
      rows,
    }))
    const largest = list(
      grouping.groups.map((group) => `${spoken(group)} (${figure(group.rows)})`),
      4,
    )
    await desk.publish("groups.made", {
      message: `${visible(input)} has ${count(groups.length, "group")} by ${quoted(choice.column.name)}: ${largest}.`,
      input,
      column: choice.column.name,
      groups,
    })
  }
  return grouped
}

/**
 * Asks for the approval of one letter after the other, and sends each approved letter. A decline ends this. Gives a sentence for the
 * summary.
 */
async function sendLetters(desk: Desk, results: Results): Promise<string> {
  const sent: string[] = []
  for (const request of approvalRequests(results)) {
    await desk.pause(1)
    const { decision, comment } = await desk.requestApproval(request)
    if (decision === "decline") {
      const why = comment === undefined || comment.trim() === "" ? "" : ` Your comment: ${quoted(comment)}.`
      const nothing =
        sent.length === 0
          ? "nothing was sent"
          : `nothing was sent to ${request.destination}. The letter to ${list(sent)} was sent before`
      return `You declined, so ${nothing}.${why}`
    }
    const { destination, subject, body } = request
    await desk.send({ destination, subject, body })
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
