/**
 * START HERE for the record: who did what through this desk, and whether the rules let a person approve. `mutation-steps.ts` decides which rows
 * a mutation gets, `hash-chain.ts` appends the rows, and this file answers the reads.
 */
import type { RecordPage } from "../contract/desk-work.ts"
import { stringifyJson } from "../contract/int64.ts"
import { isRefusal } from "../contract/refusal.ts"
import { type Database, StoreUnavailableError } from "../store/database.ts"
import { type HashChainListener, HashChainWatch } from "./hash-chain-watch.ts"
import type { EntriesPage } from "./entries.ts"
import type { DeskRecord } from "./desk-record.ts"
import { storeDeed } from "./deeds.ts"
import { HeldApprovals } from "./held-approvals-watch.ts"
import { decisionsAfter } from "./look-up.ts"
import { type MutationOptions, MutationSteps } from "./mutation-steps.ts"
import { SendingApprovals } from "./sending-approvals.ts"
import { withdrawApproval } from "./withdraw-approval.ts"
import { cursorBefore, FROM_THE_END, parseQuery, type RecordQuery } from "./query.ts"
import { type ChooseEntries, readVisibleEntries } from "./visible-entries.ts"
import { orRefusal } from "../people/or-refusal.ts"

export type RecordOptions = MutationOptions & HashChainListener

/** Opens the record in the desk's store. The caller closes the store, after `stop`. */
export function openRecord(options: RecordOptions): DeskRecord {
  const { database } = options
  const held = new HeldApprovals(options)
  const sending = new SendingApprovals(database)
  const onHeldChanged = () => held.changed()
  const steps = new MutationSteps(options, { sending, onHeldChanged })
  const watch = new HashChainWatch(database, options)
  return {
    held,
    withdrawApproval: (session, withdrawal) =>
      orRefusal(async () => {
        const refusal = await withdrawApproval(options, session, withdrawal, sending)
        await onHeldChanged()
        return refusal
      }),
    prepare: (session, mutation, readApprovals) => steps.prepare(session, mutation, readApprovals),
    async mayApprove(session, approval) {
      if (options.mode === "local") return undefined
      try {
        return await steps.mayApprove(session, approval)
      } catch (error) {
        if (error instanceof StoreUnavailableError) return undefined
        throw error
      }
    },
    storeDeed: (session, deed, change) => storeDeed(options, session, deed, change),
    async list(text, choose) {
      const query = parseQuery(text)
      return isRefusal(query) ? query : orRefusal(() => page(database, query, watch, choose))
    },
    async lines(text, choose) {
      const query = parseQuery(text)
      return isRefusal(query) ? query : orRefusal(() => lines(database, query, choose))
    },
    decisionsAfter: (sequence) => decisionsAfter(database, sequence),
    async stop() {
      watch.stop()
      held.stop()
      sending.stop()
      await steps.finished()
    },
  }
}

async function page(
  database: Database,
  { filter, limit, before }: RecordQuery,
  watch: HashChainWatch,
  choose: ChooseEntries | undefined,
): Promise<RecordPage> {
  const { entries: data, next } = await readVisibleEntries(database, filter, before, limit, choose)
  const cursor = next === undefined ? {} : { next_cursor: cursorBefore(next) }
  const chain = before === FROM_THE_END ? await watch.verifiedState() : undefined
  return { data, ...cursor, ...(chain === undefined ? {} : { chain }) }
}

const LINES_PER_STATEMENT = 200

/** Reads the first lines before the answer begins, so that a store that is away leads to a refusal and not to an empty answer. */
async function lines(
  database: Database,
  { filter }: RecordQuery,
  choose: ChooseEntries | undefined,
): Promise<AsyncIterable<string>> {
  const read = (before: number) => readVisibleEntries(database, filter, before, LINES_PER_STATEMENT, choose)
  return linesFrom(read, await read(FROM_THE_END))
}

async function* linesFrom(read: (before: number) => Promise<EntriesPage>, first: EntriesPage): AsyncGenerator<string> {
  for (let page = first; ; page = await read(page.next)) {
    if (page.entries.length > 0) yield page.entries.map((entry) => `${stringifyJson(entry)}\n`).join("")
    if (page.next === undefined) return
  }
}
