/** The requests of one check of a Work: the Work itself where it may have changed, its approvals, and its clarifications if it has a current one. */
import type { UpstreamAnswer } from "./answers.ts"
import type { WorkClass } from "./reading-order.ts"
import type { Ticks } from "./request-pace.ts"
import {
  InvalidAnswerError,
  readApprovalList,
  readClarifications,
  readOneWork,
  type ListedApproval,
  type ListedItem,
  type ListedWork,
} from "./resources.ts"
import type { WatchState } from "./watch-state.ts"
import type { Check, CheckStep, WatchedWork } from "./watched-work.ts"

/** Where each step reads, below the Work. */
const STEPS = {
  work: { operation: "getWork", path: "" },
  approvals: { operation: "listWorkApprovals", path: "/approvals" },
  clarifications: { operation: "listWorkAttention", path: "/attention" },
} as const

/** One request of a check. */
export type CheckRead = {
  readonly kind: "check"
  readonly operation: (typeof STEPS)[CheckStep]["operation"]
  readonly target: string
  readonly watched: WatchedWork
  readonly check: Check
  readonly step: CheckStep
}

/** Called with a Work that is done, with all approvals of a Work, and with the ids of items that an answer shows as resolved. */
export type CheckListeners = {
  readonly onDone: (work: ListedWork) => void
  readonly onApprovals: (workId: string, approvals: readonly ListedApproval[]) => void
  readonly onResolved: (workId: string, itemIds: ReadonlySet<string>) => void
}

/** Begins a check, or goes on with the one that has begun. Gives its next request. `readsWork`: the Work may have changed since it was listed. */
export function nextStep(watched: WatchedWork, readClass: WorkClass, readsWork: boolean, now: Ticks): CheckRead {
  const { work } = watched
  if (watched.check === undefined) {
    const items: CheckStep[] = work.clarificationId === undefined ? ["approvals"] : ["approvals", "clarifications"]
    // Whether the Work has a clarification is known when the Work was read.
    const steps: CheckStep[] = readsWork ? ["work", "approvals"] : items
    watched.check = { readClass, steps, isReading: false, version: work.version }
    watched.readTicks = now
    watched.hintedTicks = undefined
  }
  const { check } = watched
  const [step = "approvals"] = check.steps
  check.isReading = true
  if (step === "approvals") check.version = work.version
  const { operation, path } = STEPS[step]
  const target = `/api/v1/work/${encodeURIComponent(work.id)}${path}`
  return { kind: "check", operation, target, watched, check, step }
}

/** Takes in an answer with 200, 403 or 404. @throws InvalidAnswerError */
export function takeStep(
  state: WatchState,
  listeners: CheckListeners,
  { watched, check, step }: CheckRead,
  { status, body }: UpstreamAnswer,
  request: number,
  now: Ticks,
): void {
  const { id } = watched.work
  // The Work was removed meanwhile.
  if (state.works.get(id) !== watched) return
  if (status === 200) takeResource(state, listeners, watched, step, body, request, now)
  else if (status === 404) takeAbsence(state, watched, step, request)
  state.heal(watched)
  check.isReading = false
  check.steps.shift()
  if (step === "work" && watched.work.clarificationId !== undefined) check.steps.push("clarifications")
  if (check.steps.length > 0) return
  watched.check = undefined
  state.endCheck(watched, check.version, now)
}

function takeResource(
  state: WatchState,
  { onDone, onApprovals, onResolved }: CheckListeners,
  watched: WatchedWork,
  step: CheckStep,
  body: string,
  request: number,
  now: Ticks,
): void {
  if (step === "work") {
    const work = readOneWork(body)
    if (work.id !== watched.work.id) throw new InvalidAnswerError("the answer is about another Work")
    if (work.status === "done") onDone(work)
    state.takeWork(work, request, now)
  } else if (step === "clarifications") {
    const clarifications = readClarifications(body)
    state.takeClarifications(watched, clarifications, request)
    onResolved(watched.work.id, idsOf(clarifications.filter(({ status }) => status !== "open")))
  } else {
    const approvals = readApprovalList(body)
    state.takeApprovals(watched, approvals, request)
    onApprovals(watched.work.id, approvals)
    onResolved(watched.work.id, idsOf(approvals.filter(({ status }) => status !== "pending")))
  }
}

const idsOf = (items: readonly ListedItem[]) => new Set(items.map(({ id }) => id))

/** After 404: the Work or its items are gone. */
function takeAbsence(state: WatchState, watched: WatchedWork, step: CheckStep, request: number): void {
  if (step === "work") state.remove(watched.work.id)
  else if (step === "approvals") state.takeApprovals(watched, [], request)
  else state.takeClarifications(watched, [], request)
}
