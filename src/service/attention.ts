/** The operations on attention items. */
import { newId, optional, timestamp } from "./api-values.ts"
import type { Attention } from "../contract/resources.ts"
import type { Question } from "./colleagues/colleague.ts"
import type { ServiceContext } from "./context.ts"
import { mutation, reading } from "./http/handler.ts"
import { ProblemError, visible } from "./problems.ts"
import { int64, integer, oneOf, optionalInteger, optionalText, type Row, text } from "./store/sqlite-row.ts"

/** The handlers of listWorkAttention and resolveWorkAttention. */
export function attentionHandlers(context: ServiceContext) {
  const { store, state } = context
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
        const byId = "SELECT * FROM attention WHERE work_id = ? AND id = ?"
        return toAttention(visible(store.get(byId, workId, path("attention_id"))))
      },
      version: ({ version }) => version,
      perform({ body: { response }, credential }, attention) {
        if (attention.status !== "open")
          throw new ProblemError("ATTENTION_RESOLVED", "This clarification is already answered")
        const resolved = resolveAttention(context, attention, "Answered", credential.account, response)
        state.updateStatus(attention.work_id)
        return { body: resolved, version: resolved.version }
      },
    }),
  }
}

/** Opens a clarification within an effect, and returns its id. */
export function openAttention({ store, events, state }: ServiceContext, workId: string, question: Question): string {
  const id = newId("attention")
  const { title, what_happened, why_needed, recommended_action, consequences } = question
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
    created_at: Date.now(),
  })
  events.append(workId, "attention.opened", { message: `Asked: ${title}`, attention_id: id })
  state.updateStatus(workId)
  return id
}

/** Resolves a clarification within an effect. The event begins with `said`. The caller updates the status of the Work. */
export function resolveAttention(
  { store, events }: ServiceContext,
  { id, version: before }: { readonly id: string; readonly version: bigint },
  said: "Answered" | "Withdrawn",
  resolved_by: string,
  resolution: string,
): Attention {
  const version = before + 1n
  const values = { status: "resolved", version, resolved_at: Date.now(), resolved_by, resolution }
  const attention = toAttention(store.update("attention", id, values))
  const payload = { message: `${said}: ${attention.title}`, attention_id: id, resolution, version }
  events.append(attention.work_id, "attention.resolved", payload)
  return attention
}

/** Converts a row of the table `attention` to the API's Attention. */
export function toAttention(row: Row): Attention {
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
