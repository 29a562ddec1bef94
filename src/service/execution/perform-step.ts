/** Performs the steps of a colleague: each is one transaction with its events and its entry in the journal. */
import { openApproval, payloadHash } from "../approvals.ts"
import { openAttention } from "../attention.ts"
import { contentHash, newId } from "../api-values.ts"
import type { ServiceContext } from "../context.ts"
import { demonstrationOf } from "../demonstration.ts"
import { integer, text } from "../store/sqlite-row.ts"
import type { Letter, Result, WorkOrder } from "../colleagues/colleague.ts"
import type { Journal, Position } from "./journal.ts"
import type { LetterOutbox } from "./letter-outbox.ts"
import { ColleagueFailed, type Step } from "./step.ts"

/** How long the scan of a result takes at `pace` 1. */
const RESULT_SCAN_SECONDS = 0.8

// After a delay, such as a machine that slept, at most a second's events are published late.
const MISSED_MAX_MS = 1000

// A long pause is split into short waits, so that a change of `pace` takes effect within a second.
const LONGEST_WAIT_MS = 500

const STATE_TEXTS = {
  available: "is available",
  quarantined: "is quarantined",
  scan_failed: "could not be scanned",
  failed: "could not be processed",
  expired: "has expired",
}

type StretchParts = {
  readonly context: ServiceContext
  readonly outbox: LetterOutbox
  readonly order: WorkOrder
  readonly journal: Journal
  readonly colleagueId: string
  readonly version: number
}

/** Performs the steps from a position on. */
export async function performSteps(
  parts: StretchParts,
  steps: readonly Step[],
  { next, begun }: Position,
): Promise<void> {
  const { context, order, journal, colleagueId, version } = parts
  const record = (step: Step, perform: () => string) => journal.record(step.kind, version, perform)
  for (const [index, step] of steps.entries()) {
    if (index < next) continue
    const result = index === next ? begun : undefined
    switch (step.kind) {
      case "pause":
        await pause(context, journal, step.seconds)
        break
      case "publish":
        await record(step, () => {
          context.events.append(order.id, step.type, step.payload)
          return ""
        })
        break
      case "ask":
        await record(step, () => openAttention(context, order.id, step.question))
        break
      case "requestApproval":
        await record(step, () => openApproval(context, order.id, colleagueId, step.request))
        break
      case "send":
        await record(step, () => send(parts, step.letter, steps.slice(0, index)))
        break
      case "deliver":
        await scan(parts, step.result, result ?? (await record(step, () => deliver(parts, step.result))))
        break
      case "every":
        await every(parts, step, Number(result ?? (await record(step, () => "0"))))
        break
      case "finish":
        await record(step, () => {
          context.state.updateStatus(order.id, step.completionSummary)
          return ""
        })
    }
  }
}

/** Waits for `seconds` times the present `pace`. `left` is in milliseconds at `pace` 1, and `wait` in real milliseconds. */
async function pause({ configuration }: ServiceContext, journal: Journal, seconds: number): Promise<void> {
  let left = seconds * 1000
  while (left > 0 && configuration.current.pace > 0) {
    const { pace } = configuration.current
    const wait = Math.min(left * pace, LONGEST_WAIT_MS)
    await journal.wait(wait)
    left -= wait / pace
  }
}

/** Marks a letter as sent. The outbox writes its file afterwards. `earlier` are the steps before. */
function send({ context, outbox, order, journal }: StretchParts, letter: Letter, earlier: readonly Step[]): string {
  const { store, events } = context
  const requests = earlier.filter((step) => step.kind === "requestApproval")
  const hash = payloadHash(letter)
  const requestIndex = requests.findLastIndex(({ request }) => payloadHash(request) === hash)
  // The n-th recorded approval belongs to the n-th request. A letter without a request has no approval: no approval has the id "".
  const approvalId = journal.approvals[requestIndex] ?? ""
  // The letter of the approval is sent, and not the letter of the step, because the decision is bound to what the person read.
  const row = store.get(
    `UPDATE approval SET sent_at = ? WHERE id = ? AND work_id = ? AND status = 'approved' AND sent_at IS NULL
     RETURNING action_id, destination, subject`,
    Date.now(),
    approvalId,
    order.id,
  )
  if (row === undefined) throw new ColleagueFailed("this letter was not approved, or was already sent")
  const [action_id, destination, subject] = [text(row, "action_id"), text(row, "destination"), text(row, "subject")]
  events.append(order.id, "letter.sent", { message: `Sent to ${destination}`, action_id, destination, subject })
  store.afterCommit(() => outbox.writeSent())
  return action_id
}

/** Makes an Artifact that is still `processing`, and returns its id. */
function deliver({ context, order }: StretchParts, { path, media_type, content: given }: Result): string {
  const { store, events } = context
  const id = newId("artifact")
  const content = Buffer.from(given)
  const latest = "SELECT coalesce(max(version), 0) AS version FROM artifact WHERE work_id = ? AND path = ?"
  const version = integer(store.one(latest, order.id, path), "version") + 1
  store.insert("artifact", {
    id,
    work_id: order.id,
    path,
    version,
    media_type,
    content,
    size: content.length,
    content_hash: contentHash(content),
    processing_state: "processing",
    created_at: Date.now(),
  })
  const payload = { message: `Delivered ${path}`, artifact_id: id, path, media_type, version }
  events.append(order.id, "artifact.created", payload)
  return id
}

async function scan(
  { context, order, journal, version }: StretchParts,
  { path }: Result,
  artifactId: string,
): Promise<void> {
  const { store, events } = context
  await pause(context, journal, RESULT_SCAN_SECONDS)
  await journal.record("scan", version, () => {
    const first = store.one("SELECT path FROM artifact WHERE work_id = ? ORDER BY number LIMIT 1", order.id)
    const end = path === first["path"] ? demonstrationOf(order).endOfFirstArtifact(order.objective) : undefined
    const { state, failureCode } = end ?? { state: "available" as const, failureCode: null }
    store.update("artifact", artifactId, { processing_state: state, failure_code: failureCode })
    const payload = { message: `${path} ${STATE_TEXTS[state]}`, artifact_id: artifactId, path }
    events.append(order.id, `artifact.${state}`, payload)
    return ""
  })
}

/** Publishes an event again and again. `begun` is the count so far. */
async function every(
  { context, order, journal }: StretchParts,
  step: Extract<Step, { kind: "every" }>,
  begun: number,
): Promise<void> {
  const interval = step.seconds * 1000
  const { type, label, payload } = step.event
  let count = begun
  let due = performance.now() + interval
  while (count < step.times) {
    await journal.wait(due - performance.now())
    const missed = Math.max(0, Math.floor((performance.now() - due) / interval))
    due += (missed + 1) * interval
    const publishedLate = Math.min(missed, Math.floor(MISSED_MAX_MS / interval))
    const first = count + 1
    const last = Math.min(first + publishedLate, step.times)
    await journal.write(() => {
      for (let next = first; next <= last; next++) {
        const published_at = new Date().toISOString()
        const counted = { message: `${label} ${next}`, [type]: next, ...payload, published_at }
        context.events.append(order.id, type, counted)
      }
      journal.update(String(last))
    })
    count = last
  }
}
