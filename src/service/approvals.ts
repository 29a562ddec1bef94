/** The operations on approvals. */
import { contentHash, newId, optional, timestamp } from "./api-values.ts"
import type { Approval } from "../contract/resources.ts"
import type { ApprovalRequest, Letter } from "./colleagues/colleague.ts"
import type { ServiceContext } from "./context.ts"
import { mutation, reading } from "./http/handler.ts"
import { ProblemError, visible } from "./problems.ts"
import { int64, integer, oneOf, optionalInteger, optionalText, type Row, text } from "./store/sqlite-row.ts"

/** The handlers of listWorkApprovals and resolveWorkApproval. */
export function approvalHandlers(context: ServiceContext) {
  const { store, state } = context
  return {
    listWorkApprovals: reading("listWorkApprovals", ({ path, query, credential }) => {
      const workId = text(state.find(path("id"), credential), "id")
      const rows = store.all(
        "SELECT * FROM approval WHERE work_id = ?1 AND status = coalesce(?2, status) ORDER BY number",
        workId,
        query("status") ?? null,
      )
      return { body: { data: rows.map(toApproval) } }
    }),

    resolveWorkApproval: mutation("resolveWorkApproval", context, {
      status: 200,
      find({ path, credential }) {
        const workId = text(state.find(path("id"), credential), "id")
        const byId = "SELECT * FROM approval WHERE work_id = ? AND id = ?"
        return toApproval(visible(store.get(byId, workId, path("approval_id"))))
      },
      version: ({ version }) => version,
      perform({ body: { decision, comment }, credential }, approval) {
        const { status, work_id: workId } = approval
        if (status !== "pending") throw new ProblemError("APPROVAL_RESOLVED", `This approval is already ${status}`)
        const said = decision === "approve" ? "Approved" : "Declined"
        const resolved = resolveApproval(context, approval, said, credential.account, comment)
        state.updateStatus(workId)
        return { body: resolved, version: resolved.version }
      },
    }),
  }
}

/** Asks for the approval of a letter within an effect, and returns the id of the approval. */
export function openApproval(
  { store, events, state }: ServiceContext,
  workId: string,
  colleagueId: string,
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
  events.append(workId, "approval.requested", { message: `Asked for approval: ${summary}`, approval_id: id })
  state.updateStatus(workId)
  return id
}

/** Resolves an approval within an effect. The event begins with `said`. `Withdrawn` declines. The caller updates the status of the Work. */
export function resolveApproval(
  { store, events }: ServiceContext,
  { id, version: before }: { readonly id: string; readonly version: bigint },
  said: "Approved" | "Declined" | "Withdrawn",
  resolution_actor: string,
  comment: string | undefined,
): Approval {
  const status = said === "Approved" ? "approved" : "declined"
  const version = before + 1n
  const resolution = { resolved_at: Date.now(), resolution_actor, resolution_comment: comment ?? null }
  const approval = toApproval(store.update("approval", id, { status, version, ...resolution }))
  const message = `${said}: ${approval.summary}`
  const payload = { message, approval_id: id, status, ...optional("comment", comment), version }
  events.append(approval.work_id, `approval.${status}`, payload)
  return approval
}

/** The hash of the letter that an approval binds: of the JSON array of destination, subject and body. */
export function payloadHash({ destination, subject, body }: Letter): string {
  return contentHash(JSON.stringify([destination, subject, body]))
}

/** Converts a row of the table `approval` to the API's Approval. */
export function toApproval(row: Row): Approval {
  const resolvedAt = optionalInteger(row, "resolved_at")
  return {
    id: text(row, "id"),
    work_id: text(row, "work_id"),
    action_id: text(row, "action_id"),
    requested_by_colleague: text(row, "requested_by_colleague"),
    summary: text(row, "summary"),
    risk: text(row, "risk"),
    destination: text(row, "destination"),
    subject: text(row, "subject"),
    body: text(row, "body"),
    proposed_action_payload_hash: text(row, "payload_hash"),
    policy_reason: text(row, "policy_reason"),
    status: oneOf(row, "status", ["pending", "approved", "declined"]),
    version: int64(row, "version"),
    created_at: timestamp(integer(row, "created_at")),
    ...optional("resolved_at", resolvedAt === undefined ? undefined : timestamp(resolvedAt)),
    ...optional("resolution_actor", optionalText(row, "resolution_actor")),
    ...optional("resolution_comment", optionalText(row, "resolution_comment")),
  }
}
