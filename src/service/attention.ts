import { optional, timestamp } from "./api-values.ts"
import type { Attention } from "../contract/resources.ts"
import type { ServiceContext } from "./context.ts"
import { mutation, reading } from "./http/handler.ts"
import { conflict, notVisible } from "./problems.ts"
import { int64, integer, oneOf, optionalInteger, optionalText, text } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store } from "./store/store.ts"
import type { WorkState } from "./work-state.ts"

/** The handlers of listWorkAttention and resolveWorkAttention. `state` finds the Work and updates its status. */
export function attentionHandlers(context: ServiceContext, state: WorkState) {
  const { store, events } = context
  return {
    listWorkAttention: reading("listWorkAttention", ({ path, credential }) => {
      const workId = text(state.find(path("id"), credential), "id")
      const open = "SELECT * FROM attention WHERE work_id = ? AND status = 'open' ORDER BY number"
      return { body: { data: store.all(open, workId).map(toAttention) } }
    }),

    resolveWorkAttention: mutation("resolveWorkAttention", context, {
      status: 200,
      find({ path, credential }) {
        const workId = text(state.find(path("id"), credential), "id")
        return toAttention(findAttention(store, workId, path("attention_id")))
      },
      version: ({ version }) => version,
      perform(transaction, { body: { response }, credential }, { id, work_id: workId, status }) {
        if (status !== "open") throw conflict("ATTENTION_RESOLVED", "This clarification is already answered")
        const now = Date.now()
        store.run(
          `UPDATE attention SET status = 'resolved', version = version + 1, resolved_at = ?, resolved_by = ?, resolution = ?
           WHERE id = ?`,
          now,
          credential.account,
          response,
          id,
        )
        const attention = toAttention(findAttention(store, workId, id))
        const { title, version } = attention
        const payload = { message: `Answered: ${title}`, attention_id: id, resolution: response, version }
        events.append(transaction, workId, "attention.resolved", payload, now)
        state.updateStatus(transaction, workId)
        return { body: attention, version }
      },
    }),
  }
}

function findAttention(store: Store, workId: string, id: string): Row {
  const row = store.get("SELECT * FROM attention WHERE work_id = ? AND id = ?", workId, id)
  if (row === undefined) throw notVisible()
  return row
}

function toAttention(row: Row): Attention {
  const resolvedAt = optionalInteger(row, "resolved_at")
  return {
    id: text(row, "id"),
    work_id: text(row, "work_id"),
    kind: "clarification",
    source_id: text(row, "source_id"),
    title: text(row, "title"),
    what_happened: text(row, "what_happened"),
    why_needed: text(row, "why_needed"),
    recommended_action: text(row, "recommended_action"),
    consequences: text(row, "consequences"),
    status: oneOf(row, "status", ["open", "resolved"]),
    version: int64(row, "version"),
    created_at: timestamp(integer(row, "created_at")),
    ...optional("resolved_at", resolvedAt === undefined ? undefined : timestamp(resolvedAt)),
    ...optional("resolved_by", optionalText(row, "resolved_by")),
    ...optional("resolution", optionalText(row, "resolution")),
  }
}
