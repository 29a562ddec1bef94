/**
 * Finds the steps of Work: a Work is done or paused, an approval is approved or declined. The store remembers the Works as the desk last saw
 * them (`noticed_work`) and the approvals whose decision is not read yet (`ended_approval`), so a restart loses no step. The record adds to both
 * what was created or decided at a desk (`record/unseen-steps.ts`), which may come and end between two looks.
 */
import * as v from "valibot"
import { parseObject } from "../../platform/http/json-object.ts"
import type { DeskQueries } from "../insight/desk-queries.ts"
import { Turns } from "../../platform/turns.ts"
import type { Reader, Statements } from "../store/database.ts"
import { inChunks, placesFor, select, upsert } from "../store/tables.ts"
import type { EndedItem } from "../watcher/known-list.ts"
import type { WatchState } from "../watcher/watch-state.ts"
import type { WatchedWork } from "../watcher/watched-work.ts"
import type { KnownItem } from "./known-items.ts"
import { DAY_MS } from "./leave-times.ts"

/** A step of a Work, or of one of its approvals. */
export type WorkStep = {
  readonly step: "done" | "paused" | "approved" | "declined"
  readonly workId: string
  /** Empty: the step is the Work's. */
  readonly itemId: string
  /** Of an approval: the version that was decided. Of a pause: the Work's version. A Work is done once, so this version is empty. */
  readonly version: string
  readonly colleague: string
  readonly priority: string
  /** When the approval or the Work was created, as the upstream wrote it. */
  readonly createdAt: string
  /** When the desk saw it, or earlier. Milliseconds since 1970. */
  readonly at: number
}

/** What the steps are read from, beside the open Works. */
export type StepSources = Pick<DeskQueries, "knownApproval" | "doneWork">

/** How long the desk waits for the decision of an approval that is no longer pending. Its Work may be gone. */
const UNDECIDED_MS = 7 * DAY_MS
const WORKS_PER_TRANSACTION = 100

const noticedWorkRow = v.object({
  workId: v.string(),
  status: v.picklist(["created", "working", "paused"]),
  colleague: v.string(),
  priority: v.string(),
  createdAt: v.string(),
})
type NoticedWork = Readonly<v.InferOutput<typeof noticedWorkRow>>

const endedApprovalRow = v.object({
  workId: v.string(),
  itemId: v.string(),
  version: v.string(),
  colleague: v.string(),
  priority: v.string(),
  createdAt: v.string(),
  endedAt: v.number(),
})
type EndedApproval = Readonly<v.InferOutput<typeof endedApprovalRow>>

/** What a look has found, and what the store is to remember of it once every channel has its deliveries. */
export type FoundSteps = {
  readonly steps: readonly WorkStep[]
  readonly seen: readonly NoticedWork[]
  readonly done: readonly NoticedWork[]
  /** Approvals whose decision is found, or will not be. */
  readonly settled: readonly EndedApproval[]
}

/** Runs a change in a transaction, as long as this desk has the lease. */
type Change = (work: (statements: Statements) => Promise<void>) => Promise<void>

export class WorkSteps {
  #works = new Map<string, NoticedWork>()

  /** Reads what is stored. @throws StoreUnavailableError */
  async load(reader: Reader): Promise<void> {
    const works = await select(reader, noticedWorkRow, "SELECT * FROM noticed_work")
    this.#works = new Map(works.map((work) => [work.workId, work]))
  }

  /** Finds what has changed since the last look. Stores nothing, so a desk that dies before `keep` finds it again. @throws StoreUnavailableError */
  async find(reader: Reader, { works }: WatchState, sources: StepSources, now: number): Promise<FoundSteps> {
    const created = await select(reader, noticedWorkRow, "SELECT * FROM noticed_work WHERE status = 'created'")
    for (const work of created) if (!this.#works.has(work.workId)) this.#works.set(work.workId, work)
    const ended = await select(reader, endedApprovalRow, "SELECT * FROM ended_approval")
    const opened = await this.#findOpened(works, now)
    const finished = await this.#findDone(works, sources, now)
    const decided = findDecided(ended, works, sources, now)
    const steps = [...opened.steps, ...finished.steps, ...decided.steps]
    return { steps, seen: opened.seen, done: finished.done, settled: decided.settled }
  }

  /** The open Works that are new or have another status than at the last look, and the pauses among them. */
  async #findOpened(works: WatchState["works"], now: number) {
    const [steps, seen]: [WorkStep[], NoticedWork[]] = [[], []]
    const turns = new Turns()
    for (const watched of works.values()) {
      if (turns.isOver()) await turns.next()
      const status = watched.work.status === "paused" ? "paused" : "working"
      const before = this.#works.get(watched.work.id)
      if (!watched.seenInList || watched.work.isUnread || before?.status === status) continue
      const work = toNoticed(watched, status)
      seen.push(work)
      // A Work that the desk sees for the first time may have been paused at any time since it was created.
      const at = before === undefined ? watched.work.createdAt : now
      if (status === "paused") steps.push({ ...work, step: "paused", itemId: "", version: versionOf(watched), at })
    }
    return { steps, seen }
  }

  /** The Works of earlier looks that are done. */
  async #findDone(works: WatchState["works"], sources: StepSources, now: number) {
    const [steps, done]: [WorkStep[], NoticedWork[]] = [[], []]
    const turns = new Turns()
    for (const work of this.#works.values()) {
      if (turns.isOver()) await turns.next()
      const facts = works.has(work.workId) ? undefined : sources.doneWork(work.workId)
      if (facts === undefined) continue
      done.push(work)
      const known = work.status === "created" ? { ...work, ...facts } : work
      steps.push({ ...known, step: "done", itemId: "", version: "", at: now })
    }
    return { steps, done }
  }

  /** Stores what a look has found. @throws LeaseLostError, StoreUnavailableError */
  async keep({ seen, done, settled }: FoundSteps, change: Change): Promise<void> {
    for (const some of inChunks(seen, WORKS_PER_TRANSACTION)) {
      await change((statements) => upsert(statements, "noticed_work", { key: ["workId"] }, ...some))
      for (const work of some) this.#works.set(work.workId, work)
    }
    for (const some of inChunks(done, WORKS_PER_TRANSACTION)) {
      const ids = some.map(({ workId }) => workId)
      await change(async ({ write }) => {
        await write(`DELETE FROM noticed_work WHERE work_id IN (${placesFor(ids)})`, ...ids)
      })
      for (const id of ids) this.#works.delete(id)
    }
    for (const some of inChunks(settled, WORKS_PER_TRANSACTION)) {
      await change(async ({ write }) => {
        for (const { workId, itemId } of some)
          await write("DELETE FROM ended_approval WHERE work_id = ? AND item_id = ?", workId, itemId)
      })
    }
  }

  /** Notes an approval that is no longer pending, so that its decision is looked for. Call this in the transaction that removes the item. */
  async storeEnded(statements: Statements, { item }: EndedItem<KnownItem>, now: number): Promise<void> {
    if (item.kind === "approval")
      await upsert(statements, "ended_approval", { key: ["workId", "itemId"] }, toEnded(item, now))
  }
}

/** The approvals that are decided, among those that are no longer pending. */
function findDecided(
  ended: readonly EndedApproval[],
  works: WatchState["works"],
  sources: StepSources,
  now: number,
): Pick<FoundSteps, "steps" | "settled"> {
  const [steps, settled]: [WorkStep[], EndedApproval[]] = [[], []]
  for (const approval of ended) {
    const { status, ...facts } = sources.knownApproval(approval.workId, approval.itemId) ?? {}
    const isDecided = status === "approved" || status === "declined"
    if (isDecided || now - approval.endedAt > UNDECIDED_MS) settled.push(approval)
    if (!isDecided) continue
    const { priority } = works.get(approval.workId)?.work ?? approval
    const whole = isUnseen(approval) ? { ...approval, ...facts, priority } : approval
    steps.push({ ...whole, step: status, at: approval.endedAt })
  }
  return { steps, settled }
}

/** Forgets since when channels exist, and what the last look has seen. @throws StoreUnavailableError */
export async function forgetSteps({ write }: Statements): Promise<void> {
  await write("DELETE FROM noticed_work")
  await write("DELETE FROM ended_approval")
  await write("UPDATE notice_desk SET channels = '{}'")
}

const isUnseen = ({ colleague }: { readonly colleague: string }) => colleague === ""

function toNoticed({ work }: WatchedWork, status: "working" | "paused"): NoticedWork {
  const written = parseObject(work.json)?.["created_at"]
  const createdAt = typeof written === "string" ? written : ""
  return { workId: work.id, status, colleague: work.colleague, priority: work.priority, createdAt }
}

function toEnded({ workId, itemId, version, colleague, priority, createdAt }: KnownItem, endedAt: number) {
  return { workId, itemId, version, colleague, priority, createdAt, endedAt }
}

const versionOf = ({ work }: WatchedWork) => String(work.version)
