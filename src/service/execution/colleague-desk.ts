import { hashOf } from "../content-hash.ts"
import { demonstrationOf } from "../demonstration.ts"
import type { ServiceContext } from "../context.ts"
import { newId } from "../context.ts"
import { bytes, integer, optionalText, text } from "../store/rows.ts"
import type { Row } from "../store/rows.ts"
import type { Store } from "../store/store.ts"
import type { WorkState } from "../work-state.ts"
import type { ApprovalRequest, Colleague, Decision, Desk, Letter, WorkOrder } from "../../colleagues/colleague.ts"
import type { Journal } from "./journal.ts"
import type { Outbox } from "./outbox.ts"

/** How long the scan of a result takes at `pace` 1. */
const RESULT_SCAN_SECONDS = 0.8

// A machine that slept owes no burst of ticks: at most those of a second are made up for.
const MADE_UP_MS = 1000

const TURN_MS = 500

const IN_WORDS = {
  available: "is available",
  quarantined: "is quarantined",
  scan_failed: "could not be scanned",
  failed: "could not be processed",
  expired: "has expired",
}

export type DeskParts = {
  readonly context: ServiceContext
  readonly state: WorkState
  readonly outbox: Outbox
  readonly colleague: Colleague
  readonly order: WorkOrder
  readonly journal: Journal
  readonly signal: AbortSignal
  /** Resolves when something about the Work has changed. */
  readonly changed: () => Promise<void>
}

/** Sets a desk for one run: the interface of colleague.ts over the store, its steps in the journal. */
export function setDesk(parts: DeskParts): Desk {
  const { context, state, outbox, colleague, order, journal, signal, changed } = parts
  const { store, events, configuration } = context
  const workId = order.id

  /** Waits for a person: until `read` gives something. */
  async function until<Value>(read: () => Value | undefined): Promise<Value> {
    for (;;) {
      journal.check()
      const value = read()
      if (value !== undefined) return value
      await changed()
    }
  }

  /** Waits in short turns, so that a change of `pace` is felt within a second. */
  async function pause(seconds: number): Promise<void> {
    let left = journal.isReplaying ? 0 : seconds * 1000
    while (left > 0 && configuration.current.pace > 0) {
      const { pace } = configuration.current
      const turn = Math.min(left * pace, TURN_MS)
      await journal.wait(turn)
      left -= turn / pace
    }
  }

  return {
    work: order,
    signal,
    pause,

    async publish(type, payload) {
      await journal.take("publish", (transaction) => {
        events.append(transaction, workId, type, payload, Date.now())
        return ""
      })
    },

    async ask(question) {
      const id = await journal.take("ask", (transaction) => {
        const id = newId("attention")
        const { title, what_happened, why_needed, recommended_action, consequences } = question
        const now = Date.now()
        store.insert("attention", {
          id,
          work_id: workId,
          source_id: newId("step"),
          title,
          what_happened,
          why_needed,
          recommended_action,
          consequences,
          status: "open",
          version: 1,
          created_at: now,
        })
        events.append(transaction, workId, "attention.opened", { message: `Asked: ${title}`, attention_id: id }, now)
        state.settle(transaction, workId)
        return id
      })
      return until(() => {
        const row = store.get("SELECT resolution FROM attention WHERE id = ?", id)
        return row && optionalText(row, "resolution")
      })
    },

    async requestApproval(request) {
      const id = await journal.take("requestApproval", (transaction) => {
        const id = insertApproval(store, workId, colleague, request)
        const payload = { message: `Asked for approval: ${request.summary}`, approval_id: id }
        events.append(transaction, workId, "approval.requested", payload, Date.now())
        state.settle(transaction, workId)
        return id
      })
      return until(() => readDecision(store, id))
    },

    async send(letter) {
      const { destination, subject } = letter
      await journal.take("send", (transaction) => {
        const actionId = findApprovedAction(store, workId, letter)
        outbox.put(actionId, letter)
        const payload = { message: `Sent to ${destination}`, action_id: actionId, destination, subject }
        events.append(transaction, workId, "letter.sent", payload, Date.now())
        return actionId
      })
    },

    async deliver(result) {
      const id = await journal.take("deliver", (transaction) => {
        const { id, version } = insertArtifact(store, workId, result)
        const { path, media_type } = result
        const payload = { message: `Left ${path}`, artifact_id: id, path, media_type, version }
        events.append(transaction, workId, "artifact.created", payload, Date.now())
        return id
      })
      await pause(RESULT_SCAN_SECONDS)
      await journal.take("scan", (transaction) => {
        const end =
          result.path === firstPath(store, workId)
            ? demonstrationOf(configuration.current).endOfFirstArtifact(order.objective)
            : undefined
        const { state, failureCode } = end ?? { state: "available" as const, failureCode: null }
        store.run("UPDATE artifact SET processing_state = ?, failure_code = ? WHERE id = ?", state, failureCode, id)
        const payload = { message: `${result.path} ${IN_WORDS[state]}`, artifact_id: id, path: result.path }
        events.append(transaction, workId, `artifact.${state}`, payload, Date.now())
        return ""
      })
    },

    async every(seconds, event) {
      const step = journal.begin("every")
      const interval = seconds * 1000
      let count = Number(step.result ?? 0)
      let due = performance.now() + interval
      for (;;) {
        await journal.wait(due - performance.now())
        const missed = Math.max(0, Math.floor((performance.now() - due) / interval))
        due += (missed + 1) * interval
        const last = count + 1 + Math.min(missed, Math.floor(MADE_UP_MS / interval))
        await journal.write((transaction) => {
          for (let next = count + 1; next <= last; next++) {
            const { type, payload } = event(next)
            events.append(transaction, workId, type, payload, Date.now())
          }
          journal.record(step.number, "every", String(last))
        })
        count = last
      }
    },

    async finish(completionSummary) {
      await journal.take("finish", (transaction) => {
        state.settle(transaction, workId, completionSummary)
        return ""
      })
    },
  }
}

/** The Work as it was delegated, with its inputs. */
export function readOrder(store: Store, work: Row): WorkOrder {
  const id = text(work, "id")
  const inputs = store.all("SELECT id, name, media_type, content FROM upload WHERE work_id = ? ORDER BY position", id)
  return {
    id,
    title: text(work, "title"),
    objective: text(work, "objective"),
    inputs: inputs.map((row) => ({
      uploadId: text(row, "id"),
      name: text(row, "name"),
      mediaType: text(row, "media_type"),
      content: Buffer.from(bytes(row, "content")).toString(),
    })),
  }
}

function insertApproval(
  store: Store,
  workId: string,
  { id: colleagueId }: Colleague,
  request: ApprovalRequest,
): string {
  const id = newId("approval")
  const { summary, risk, destination, subject, body, policy_reason } = request
  store.insert("approval", {
    id,
    work_id: workId,
    action_id: newId("action"),
    requested_by_colleague: colleagueId,
    summary,
    risk,
    destination,
    subject,
    body,
    payload_hash: payloadHash(request),
    policy_reason,
    status: "pending",
    version: 1,
    created_at: Date.now(),
  })
  return id
}

function readDecision(store: Store, id: string): Decision | undefined {
  const row = store.get("SELECT status, resolution_comment FROM approval WHERE id = ?", id)
  if (row === undefined || row["status"] === "pending") return undefined
  const decision = row["status"] === "approved" ? "approve" : "decline"
  const comment = optionalText(row, "resolution_comment")
  return comment === undefined ? { decision } : { decision, comment }
}

/** A decision is bound to what was read: only the very letter that was approved may leave. */
function findApprovedAction(store: Store, workId: string, letter: Letter): string {
  const row = store.get(
    "SELECT action_id FROM approval WHERE work_id = ? AND payload_hash = ? AND status = 'approved' ORDER BY number DESC LIMIT 1",
    workId,
    payloadHash(letter),
  )
  if (row === undefined) throw new Error("this letter was not approved")
  return text(row, "action_id")
}

/** The hash of what an approval binds: the JSON array of destination, subject and body. */
function payloadHash({ destination, subject, body }: Letter): string {
  return hashOf(JSON.stringify([destination, subject, body]))
}

function insertArtifact(store: Store, workId: string, result: Parameters<Desk["deliver"]>[0]) {
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
    content_hash: hashOf(content),
    processing_state: "processing",
    created_at: Date.now(),
  })
  return { id, version }
}

function firstPath(store: Store, workId: string): unknown {
  return store.get("SELECT path FROM artifact WHERE work_id = ? ORDER BY number LIMIT 1", workId)?.["path"]
}
