import { contentHash, newId } from "../api-values.ts"
import type { ServiceContext } from "../context.ts"
import { demonstrationOf } from "../demonstration.ts"
import { integer, text } from "../store/rows.ts"
import type { Store } from "../store/store.ts"
import type { WorkState } from "../work-state.ts"
import type { Letter, Result, WorkOrder } from "../../colleagues/colleague.ts"
import { insertApproval, openAttention, payloadHash } from "./ask-owner.ts"
import type { Journal, Position } from "./journal.ts"
import type { Outbox } from "./outbox.ts"
import { ColleagueFailed } from "./step.ts"
import type { Step } from "./step.ts"

/** How long the scan of a result takes at `pace` 1. */
const RESULT_SCAN_SECONDS = 0.8

// After a delay, such as a machine that slept, the missed events of one second at most are published late.
const MOST_MISSED_MS = 1000

// A long pause is split into short waits, so that a change of `pace` takes effect within a second.
const LONGEST_WAIT_MS = 500

const STATE_TEXTS = {
  available: "is available",
  quarantined: "is quarantined",
  scan_failed: "could not be scanned",
  failed: "could not be processed",
  expired: "has expired",
}

/** The run of a colleague on a Work, with everything that its steps need. */
export type Run = {
  readonly context: ServiceContext
  readonly state: WorkState
  readonly outbox: Outbox
  readonly order: WorkOrder
  readonly journal: Journal
  readonly colleagueId: string
  readonly version: number
}

/** Performs the steps from `next` on, in their order. `resumed` and `approvals` are the recorded results of earlier steps. */
export async function performSteps(
  run: Run,
  steps: readonly Step[],
  { next, resumed, approvals }: Position,
): Promise<void> {
  const { context, state, order, journal, colleagueId, version } = run
  const { events, store } = context
  const known = new Map(approvals)
  for (const [index, step] of steps.entries()) {
    if (index < next) continue
    const begun = index === next ? resumed : undefined
    switch (step.kind) {
      case "pause":
        await pause(context, journal, step.seconds)
        break
      case "publish":
        await journal.take(step, version, (transaction) => {
          events.append(transaction, order.id, step.type, step.payload, Date.now())
          return ""
        })
        break
      case "ask":
        await journal.take(step, version, (transaction) =>
          openAttention(context, state, transaction, order.id, step.question),
        )
        break
      case "requestApproval": {
        const approvalId = await journal.take(step, version, (transaction) => {
          const id = insertApproval(store, order.id, colleagueId, step.request)
          const payload = { message: `Asked for approval: ${step.request.summary}`, approval_id: id }
          events.append(transaction, order.id, "approval.requested", payload, Date.now())
          state.updateStatus(transaction, order.id)
          return id
        })
        known.set(index, approvalId)
        break
      }
      case "send":
        await send(run, step, known.get(indexOfRequest(step.letter, steps.slice(0, index))))
        break
      case "deliver":
        await deliver(run, step, begun)
        break
      case "every":
        await every(run, step, begun)
        break
      case "finish":
        await journal.take(step, version, (transaction) => {
          state.updateStatus(transaction, order.id, step.completionSummary)
          return ""
        })
    }
  }
}

/** The index of the last step that asks for the approval of this letter. -1 when there is none. */
function indexOfRequest(letter: Letter, steps: readonly Step[]): number {
  const hash = payloadHash(letter)
  return steps.findLastIndex((step) => step.kind === "requestApproval" && payloadHash(step.request) === hash)
}

async function pause({ configuration }: ServiceContext, journal: Journal, seconds: number): Promise<void> {
  let left = seconds * 1000
  while (left > 0 && configuration.current.pace > 0) {
    const { pace } = configuration.current
    const wait = Math.min(left * pace, LONGEST_WAIT_MS)
    await journal.wait(wait)
    left -= wait / pace
  }
}

/** Marks a letter as sent, and appends its event, in one transaction. The outbox writes the letter's file afterwards. */
async function send(
  { context, outbox, order, journal, version }: Run,
  step: Extract<Step, { kind: "send" }>,
  approvalId: string | undefined,
): Promise<void> {
  const { store, events } = context
  await journal.take(step, version, (transaction) => {
    const now = Date.now()
    // The letter of the approval is sent, and not the letter of the step, because the decision is bound to what the person read.
    const row = store.get(
      `UPDATE approval SET sent_at = ? WHERE id = ? AND work_id = ? AND status = 'approved' AND sent_at IS NULL
       RETURNING action_id, destination, subject`,
      now,
      approvalId ?? "",
      order.id,
    )
    if (row === undefined) throw new ColleagueFailed("this letter was not approved, or was sent before")
    const [action_id, destination, subject] = [text(row, "action_id"), text(row, "destination"), text(row, "subject")]
    const payload = { message: `Sent to ${destination}`, action_id, destination, subject }
    events.append(transaction, order.id, "letter.sent", payload, now)
    transaction.afterCommit(() => void outbox.writeSent())
    return action_id
  })
}

async function deliver(
  { context, order, journal, version }: Run,
  step: Extract<Step, { kind: "deliver" }>,
  resumed: string | undefined,
): Promise<void> {
  const { store, events } = context
  const { path, media_type } = step.result
  const artifactId =
    resumed ??
    (await journal.take(step, version, (transaction) => {
      const { id, version } = insertArtifact(store, order.id, step.result)
      const payload = { message: `Delivered ${path}`, artifact_id: id, path, media_type, version }
      events.append(transaction, order.id, "artifact.created", payload, Date.now())
      return id
    }))
  await pause(context, journal, RESULT_SCAN_SECONDS)
  await journal.write((transaction) => {
    const isFirst = path === firstPath(store, order.id)
    const end = isFirst ? demonstrationOf(order).endOfFirstArtifact(order.objective) : undefined
    const { state, failureCode } = end ?? { state: "available" as const, failureCode: null }
    store.run("UPDATE artifact SET processing_state = ?, failure_code = ? WHERE id = ?", state, failureCode, artifactId)
    const payload = { message: `${path} ${STATE_TEXTS[state]}`, artifact_id: artifactId, path }
    events.append(transaction, order.id, `artifact.${state}`, payload, Date.now())
    journal.recordScan(version, transaction)
  })
}

async function every(
  { context, order, journal, version }: Run,
  step: Extract<Step, { kind: "every" }>,
  resumed: string | undefined,
): Promise<void> {
  const interval = step.seconds * 1000
  const { type, label, payload } = step.event
  let count = Number(resumed ?? (await journal.take(step, version, () => "0")))
  let due = performance.now() + interval
  while (count < step.times) {
    await journal.wait(due - performance.now())
    const missed = Math.max(0, Math.floor((performance.now() - due) / interval))
    due += (missed + 1) * interval
    const last = Math.min(count + 1 + Math.min(missed, Math.floor(MOST_MISSED_MS / interval)), step.times)
    const first = count + 1
    await journal.write((transaction) => {
      for (let next = first; next <= last; next++) {
        const published_at = new Date().toISOString()
        const counted = { message: `${label} ${next}`, [type]: next, ...payload, published_at }
        context.events.append(transaction, order.id, type, counted, Date.now())
      }
      journal.update(String(last))
    })
    count = last
  }
}

function insertArtifact(store: Store, workId: string, result: Result): { id: string; version: number } {
  const id = newId("artifact")
  const content = Buffer.from(result.content)
  const latest = store.get(
    "SELECT coalesce(max(version), 0) AS version FROM artifact WHERE work_id = ? AND path = ?",
    workId,
    result.path,
  )
  const version = (latest === undefined ? 0 : integer(latest, "version")) + 1
  store.insert("artifact", {
    id,
    work_id: workId,
    path: result.path,
    version,
    media_type: result.media_type,
    content,
    size: content.length,
    content_hash: contentHash(content),
    processing_state: "processing",
    created_at: Date.now(),
  })
  return { id, version }
}

function firstPath(store: Store, workId: string): unknown {
  return store.get("SELECT path FROM artifact WHERE work_id = ? ORDER BY number LIMIT 1", workId)?.["path"]
}
