import { optional, timestamp } from "./api-values.ts"
import type { Approval, ApprovalStatus } from "../contract/resources.ts"
import type { ServiceContext } from "./context.ts"
import { mutation, reading } from "./http/handler.ts"
import { conflict, notVisible } from "./problems.ts"
import { int64, integer, oneOf, optionalInteger, optionalText, text } from "./store/rows.ts"
import type { Row } from "./store/rows.ts"
import type { Store } from "./store/store.ts"
import type { WorkState } from "./work-state.ts"

const STATUS_OF = { approve: "approved", decline: "declined" } as const satisfies Record<string, ApprovalStatus>

/** The handlers of listWorkApprovals and resolveWorkApproval. `state` finds the Work and updates its status. */
export function approvalHandlers(context: ServiceContext, state: WorkState) {
  const { store, events } = context
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
        return toApproval(findApproval(store, workId, path("approval_id")))
      },
      version: ({ version }) => version,
      perform(transaction, { body, credential }, { id, work_id: workId, status: before }) {
        if (before !== "pending") throw conflict("APPROVAL_RESOLVED", `This approval is already ${before}`)
        const now = Date.now()
        store.run(
          `UPDATE approval SET status = ?, version = version + 1, resolved_at = ?, resolution_actor = ?, resolution_comment = ?
           WHERE id = ?`,
          STATUS_OF[body.decision],
          now,
          credential.account,
          body.comment ?? null,
          id,
        )
        const approval = toApproval(findApproval(store, workId, id))
        const { status, summary, version } = approval
        const message = `${status === "approved" ? "Approved" : "Declined"}: ${summary}`
        const payload = { message, approval_id: id, status, ...optional("comment", body.comment), version }
        events.append(transaction, workId, `approval.${status}`, payload, now)
        state.updateStatus(transaction, workId)
        return { body: approval, version }
      },
    }),
  }
}

function findApproval(store: Store, workId: string, id: string): Row {
  const row = store.get("SELECT * FROM approval WHERE work_id = ? AND id = ?", workId, id)
  if (row === undefined) throw notVisible()
  return row
}

function toApproval(row: Row): Approval {
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
