/** Writes the report for a period, part by part. It is whole, or ends with an error. */
import type { RecordEntry, ReportFormat } from "../../../contract/desk-work.ts"
import { Refused } from "../../../platform/http/send.ts"
import { verify } from "../chain-verification.ts"
import { type Head, readHead } from "../hash-chain.ts"
import { recordArchived } from "../record-refusals.ts"
import { findArchives } from "./report-archives.ts"
import { csvWriter } from "./report-csv.ts"
import { readEntriesOf, type ReportScope } from "./report-entries.ts"
import { htmlWriter } from "./report-html.ts"
import { formatTime, hasColleague, SECTIONS, toLine } from "./report-lines.ts"
import type { ReportQuery } from "./report-query.ts"
import { Totals } from "./report-totals.ts"
import type { ReportWriter } from "./report-writer.ts"

const WRITERS: Readonly<Record<ReportFormat, ReportWriter>> = { csv: csvWriter, html: htmlWriter }

export type ReportOptions = ReportQuery &
  Pick<ReportScope, "store" | "choose"> & {
    /** The name of the person who sees the report. Undefined: it is about the whole record. */
    readonly seenBy: string | undefined
    /** Called with the state of the chain, which is a part of the report. */
    readonly onVerified?: (faults: readonly string[]) => void
  }

/**
 * Begins a report. Everything that can be refused early is checked, and the first part is read, before the promise resolves. The parts end with an
 * error if the report can't be completed. @throws Refused @throws StoreUnavailableError
 */
export async function beginReport(options: ReportOptions): Promise<AsyncGenerator<string>> {
  const { store, period } = options
  const archives = await findArchives(store, period)
  if (archives.length > 0) throw new Refused(recordArchived(archives))
  const parts = writeReport(options, await readHead(store))
  const first = await parts.next()
  return continueWith(first, parts)
}

async function* continueWith(first: IteratorResult<string>, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done === true) return
  yield first.value
  yield* parts
}

async function* writeReport(options: ReportOptions, until: Head): AsyncGenerator<string> {
  const { store, format, filter, colleague, onVerified } = options
  const writer = WRITERS[format]
  const scope: ReportScope = { ...options, until }
  const totals = new Totals()
  let withoutColleague = 0
  let text = writer.begin(titleOf(options))
  for (const section of SECTIONS) {
    if (filter.operation !== undefined && !section.operations.some((one) => one === filter.operation)) continue
    text += writer.beginSection(section)
    let count = 0
    for await (const entries of readEntriesOf(scope, section.operations)) {
      const shown = colleague === undefined ? entries : entries.filter((entry) => entry.colleague === colleague)
      if (colleague !== undefined) withoutColleague += entries.filter(isWithoutColleague).length
      for (const entry of shown) totals.add(entry)
      count += shown.length
      yield text + writer.lines(section, shown.map(toLine))
      text = ""
    }
    text += writer.endSection(count)
  }
  text += writer.totals("person", totals.people) + writer.totals("colleague", totals.colleagues)
  if (withoutColleague > 0) text += writer.note(formatWithoutColleague(withoutColleague))
  yield text
  const state = await verify(store)
  onVerified?.(state.faults)
  yield writer.chain({ ...state, at: formatTime(new Date().toISOString()) }) + writer.end()
}

/** Whether the row doesn't say which colleague the entry is about. */
const isWithoutColleague = (entry: RecordEntry) => entry.colleague === undefined && hasColleague(entry)

const formatWithoutColleague = (count: number) =>
  `Entries without a recorded colleague, which this report doesn't list: ${count}.`

/** The first line of a report. */
function titleOf({ period, seenBy, filter, colleague }: ReportOptions): string {
  const filters = Object.entries({ ...filter, colleague }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  )
  return [
    `Workdesk record from ${period.from} to ${period.to} (UTC)`,
    seenBy === undefined ? "the whole record" : `as seen by ${seenBy}`,
    ...(filters.length === 0 ? [] : [`only ${filters.join(", ")}`]),
  ].join(", ")
}
