/**
 * START HERE for the record: who did what through this desk. `hash-chain.ts` appends the rows, and `entries.ts` reads them. The folder `gate` is the
 * gate of a mutation: `mutation-checks.ts` decides whether the mutation may be sent, and `mutation-gate.ts` stores its rows.
 */
import type { ApprovalInQuestion } from "../people/rules/rules.ts"
import type { MayApprove, RecordPage, ReportFormat } from "../../contract/desk-work.ts"
import { stringifyJson } from "../../contract/int64.ts"
import { Refused } from "../../platform/http/send.ts"
import type { Session } from "../people/people-interface.ts"
import { type Statements, StoreUnavailableError } from "../store/database.ts"
import { withdrawApprove, type Withdrawal } from "./gate/withdraw-approve.ts"
import { withTogether } from "./decisions-together.ts"
import { type ChooseEntries, type EntriesPage, type Filter, readVisibleEntries } from "./entries.ts"
import { CommandRows } from "./command-rows.ts"
import { inRecord, readHead, type RecordOptions } from "./hash-chain.ts"
import { appendDone, type DeskAction } from "./desk-actions.ts"
import { Freezes } from "./freezes.ts"
import { readVerifiers } from "./heads/record-key.ts"
import { HashChainWatch } from "./hash-chain-watch.ts"
import { HeldApprovesCache } from "./gate/held-approves-cache.ts"
import type { Mutation } from "./gate/mutation.ts"
import type { ItemReads } from "./gate/mutation-checks.ts"
import { MutationGate, type Prepared } from "./gate/mutation-gate.ts"
import { cursorBefore, FROM_THE_END, parseQuery } from "./record-query.ts"
import { decisionsAfter, type RecordedDecision } from "./recorded-decisions.ts"
import { recordIncomplete } from "./record-refusals.ts"
import { parseReportQuery } from "./report/report-query.ts"
import { beginReport } from "./report/write-report.ts"

const LINES_PER_STATEMENT = 200

/** The record in the desk's store. The caller closes the store, after `stop`. */
export class DeskRecord {
  readonly held: HeldApprovesCache
  readonly freezes: Freezes
  readonly #options: RecordOptions
  readonly #gate: MutationGate
  readonly #watch: HashChainWatch
  readonly #commandRows: CommandRows

  constructor(options: RecordOptions) {
    this.#options = options
    this.held = new HeldApprovesCache(options)
    this.freezes = new Freezes(options)
    this.#gate = new MutationGate(options, this.held)
    this.#watch = new HashChainWatch(options)
    this.#commandRows = new CommandRows(options)
  }

  /** Checks a mutation and stores its intent, or holds an approve (`MutationGate.prepare`). @throws Refused */
  prepare(session: Session, mutation: Mutation, reads: ItemReads): Promise<Prepared> {
    return this.#gate.prepare(session, mutation, reads)
  }

  /** Whether the rules let the person approve. Undefined in local mode, and while the record cannot be read. */
  async mayApprove(session: Session, approval: ApprovalInQuestion): Promise<MayApprove | undefined> {
    if (this.#options.mode === "local") return undefined
    try {
      return await this.#gate.mayApprove(session, approval)
    } catch (error) {
      if (error instanceof StoreUnavailableError) return undefined
      throw error
    }
  }

  /** Withdraws the person's approve that the desk holds (`withdraw-approve.ts`). @throws Refused @throws StoreUnavailableError */
  async withdrawApprove(
    session: Session,
    withdrawal: Withdrawal,
    readApprovals: ItemReads["approvals"],
  ): Promise<void> {
    await withdrawApprove(this.#options, session, withdrawal, readApprovals)
    await this.held.changed()
  }

  /**
   * Records an action that involves only the desk, in the transaction in which `change` stores the action. `change` gets the sequence of the row,
   * which is appended only if `change` returns `stored`.
   * @throws Refused when `change` refuses
   * @throws StoreUnavailableError
   */
  recordAction(
    session: Session,
    action: DeskAction,
    change: (statements: Statements, sequence: number) => Promise<"stored" | "unchanged">,
  ): Promise<void> {
    return inRecord(this.#options, async (transaction) => {
      await this.#options.checkSession?.(transaction, session)
      const head = await readHead(transaction)
      if ((await change(transaction, head.sequence + 1)) === "stored")
        await appendDone(transaction, session.person, action)
    })
  }

  /** Answers `GET /desk/record?query`. `choose` is left out in local mode. @throws Refused @throws StoreUnavailableError */
  async list(query: string, choose?: ChooseEntries): Promise<RecordPage> {
    const { filter, limit, before } = parseQuery(query)
    const page = await this.#read(filter, before, limit, choose)
    const { entries: data, next, complete } = page
    const cursor = next === undefined ? {} : { next_cursor: cursorBefore(next) }
    const chain = before === FROM_THE_END ? await this.#readChain() : undefined
    return { data, complete, ...cursor, ...(chain === undefined ? {} : { chain }) }
  }

  /** The state of the chain as it was last verified, with the key that signs its heads. Undefined before the first verification. */
  async #readChain(): Promise<RecordPage["chain"]> {
    const chain = await this.#watch.verifiedState()
    const [key] = await readVerifiers(this.#options.database)
    return chain && { ...chain, ...(key !== undefined && { key }) }
  }

  /**
   * All entries that match the filters of `query`, as JSON Lines. The first lines are read before the answer begins, so that the request is refused
   * while the store is away. Later lines end with an error if any would be missing. @throws Refused @throws StoreUnavailableError
   */
  async lines(query: string, choose?: ChooseEntries): Promise<AsyncIterable<string>> {
    const { filter } = parseQuery(query)
    const read = (before: number) => this.#read(filter, before, LINES_PER_STATEMENT, choose)
    const first = await read(FROM_THE_END)
    if (!first.complete) throw new Refused(recordIncomplete)
    return linesFrom(read, first)
  }

  /**
   * The report for `GET /desk/record/report?query`, as `beginReport` writes it. `viewer` is left out in local mode, where one person sees everything.
   * @throws Refused @throws StoreUnavailableError
   */
  async report(
    query: string,
    viewer?: { readonly name: string; readonly choose: ChooseEntries | undefined },
  ): Promise<{ readonly format: ReportFormat; readonly name: string; readonly parts: AsyncGenerator<string> }> {
    const read = parseReportQuery(query)
    const { database: store } = this.#options
    const parts = await beginReport({ ...read, store, choose: viewer?.choose, seenBy: viewer?.name })
    const { format, period } = read
    return { format, name: `workdesk-report-${period.from}-${period.to}.${format}`, parts }
  }

  async #read(filter: Filter, before: number, limit: number, choose: ChooseEntries | undefined): Promise<EntriesPage> {
    const { database } = this.#options
    const page = await readVisibleEntries(database, filter, before, limit, choose)
    return { ...page, entries: await withTogether(database, page.entries, choose) }
  }

  /** The confirmed decisions after a sequence of the record, in the order of their sequences. */
  decisionsAfter(sequence: number): Promise<readonly RecordedDecision[]> {
    return decisionsAfter(this.#options.database, sequence)
  }

  /** Resolves when every outcome row that is on its way is stored, or cannot be stored. */
  async stop(): Promise<void> {
    this.#watch.stop()
    this.#commandRows.stop()
    this.held.stop()
    this.freezes.stop()
    await this.#gate.finished()
  }
}

async function* linesFrom(read: (before: number) => Promise<EntriesPage>, first: EntriesPage): AsyncGenerator<string> {
  for (let page = first; ; page = await read(page.next)) {
    if (!page.complete) throw new Error("the record is incomplete")
    if (page.entries.length > 0) yield page.entries.map((entry) => `${stringifyJson(entry)}\n`).join("")
    if (page.next === undefined) return
  }
}
