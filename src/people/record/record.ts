/** START HERE for the record: who did what through this desk, and whether the rules let somebody approve. */
import type { MayApprove, RecordPage } from "../../contract/desk.ts"
import { stringifyJson } from "../../contract/int64.ts"
import { storeUnavailable } from "../refusals.ts"
import type { Database } from "../store/database.ts"
import { StoreUnavailableError } from "../store/database.ts"
import { ChainWatch } from "./chain-watch.ts"
import { type EntriesPage, type Filter, readEntries } from "./entries.ts"
import type { DeskRecord } from "./interface.ts"
import { decisionsSince } from "./look-up.ts"
import { type MutationOptions, MutationSteps } from "./mutation-steps.ts"
import { cursorBefore, FROM_THE_END, parseQuery, type RecordQuery } from "./query.ts"
import type { Head } from "./rows.ts"

export type RecordOptions = MutationOptions & {
  /** Told the chain's head at the start and once an hour. A log that is kept elsewhere anchors the chain. */
  readonly anchor: (head: Head) => void
}

/** The record in the desk's store. Who opened the store closes it, after `stop`. */
export function openRecord(options: RecordOptions): DeskRecord {
  const { database } = options
  const steps = new MutationSteps(options)
  const watch = new ChainWatch(database, options.anchor, options.failed)
  return {
    prepare: (session, mutation, readApprovals) => steps.prepare(session, mutation, readApprovals),
    mayApprove: async (session, approval): Promise<MayApprove | undefined> => {
      if (options.mode === "local") return undefined
      return orWhenAway(steps.mayApprove(session, approval), () => undefined)
    },
    async list(text) {
      const query = parseQuery(text)
      return "code" in query ? query : orWhenAway(page(database, query, watch), storeUnavailable)
    },
    async lines(text) {
      const query = parseQuery(text)
      return "code" in query ? query : orWhenAway(lines(database, query), storeUnavailable)
    },
    decisionsSince: (moment) => decisionsSince(database, moment),
    async stop() {
      watch.stop()
      await steps.settled()
    },
  }
}

async function page(
  database: Database,
  { filter, limit, before }: RecordQuery,
  watch: ChainWatch,
): Promise<RecordPage> {
  const { entries: data, next } = await readEntries(database, filter, before, limit)
  const cursor = next === undefined ? {} : { next_cursor: cursorBefore(next) }
  const chain = before === FROM_THE_END ? await watch.state() : undefined
  return { data, ...cursor, ...(chain === undefined ? {} : { chain }) }
}

const LINES_AT_A_TIME = 200

/** Reads the first lines before anything is answered, so that a store that is away is told instead of an empty record. */
async function lines(database: Database, { filter }: RecordQuery): Promise<AsyncIterable<string>> {
  return linesFrom(database, filter, await readEntries(database, filter, FROM_THE_END, LINES_AT_A_TIME))
}

async function* linesFrom(database: Database, filter: Filter, first: EntriesPage): AsyncGenerator<string> {
  for (let page = first; ; page = await readEntries(database, filter, page.next, LINES_AT_A_TIME)) {
    if (page.entries.length > 0) yield page.entries.map((entry) => `${stringifyJson(entry)}\n`).join("")
    if (page.next === undefined) return
  }
}

async function orWhenAway<Result, Away>(
  work: Promise<Result>,
  away: (error: StoreUnavailableError) => Away,
): Promise<Result | Away> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StoreUnavailableError) return away(error)
    throw error
  }
}
