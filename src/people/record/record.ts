/** START HERE for the record: who did what through this desk, and whether the rules let somebody approve. */
import type { MayApprove, RecordPage } from "../../contract/desk.ts"
import { stringifyJson } from "../../contract/int64.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { Database } from "../store/database.ts"
import { StoreUnavailableError } from "../store/database.ts"
import { ChainWatch } from "./chain-watch.ts"
import { readEntries } from "./entries.ts"
import type { DeskRecord } from "./interface.ts"
import { decisionsSince } from "./look-up.ts"
import { type MutationOptions, Mutations } from "./mutations.ts"
import { cursorBefore, FROM_THE_END, parseQuery, type RecordQuery } from "./query.ts"
import { recordUnavailable } from "./refusals.ts"
import type { Head } from "./rows.ts"

export type RecordOptions = MutationOptions & {
  /** Told the chain's head at the start and once an hour. A log that is kept elsewhere anchors the chain. */
  readonly anchor: (head: Head) => void
}

/** The record in the desk's store. Who opened the store closes it, after `stop`. */
export function openRecord(options: RecordOptions): DeskRecord {
  const { database } = options
  const mutations = new Mutations(options)
  const watch = new ChainWatch(database, options.anchor, options.failed)
  return {
    prepare: (session, mutation, readApprovals) => mutations.prepare(session, mutation, readApprovals),
    mayApprove: async (session, approval): Promise<MayApprove | undefined> => {
      if (options.mode === "local") return undefined
      return orWhenAway(mutations.mayApprove(session, approval), undefined)
    },
    async list(text) {
      const query = parseQuery(text)
      return "code" in query ? query : orWhenAway<RecordPage | Refusal>(page(database, query, watch), recordUnavailable)
    },
    lines(text) {
      const query = parseQuery(text)
      return "code" in query ? query : lines(database, query)
    },
    decisionsSince: (moment) => decisionsSince(database, moment),
    async stop() {
      watch.stop()
      await mutations.settled()
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

async function* lines(database: Database, { filter }: RecordQuery): AsyncGenerator<string> {
  let before: number | undefined = FROM_THE_END
  while (before !== undefined) {
    const { entries, next } = await readEntries(database, filter, before, LINES_AT_A_TIME)
    if (entries.length > 0) yield entries.map((entry) => `${stringifyJson(entry)}\n`).join("")
    before = next
  }
}

async function orWhenAway<Result>(work: Promise<Result>, away: Result): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StoreUnavailableError) return away
    throw error
  }
}
