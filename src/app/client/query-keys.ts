/**
 * The query keys, from general to specific. Everything of a Work has a key below `workKey(id)`, so that one event has all of that Work read
 * again and nothing else.
 */
export const workListKey = ["work-list"] as const
export const workKey = (id: string) => ["work", id] as const
export const clarificationsKey = (workId: string) => ["work", workId, "clarifications"] as const
export const approvalsKey = (workId: string) => ["work", workId, "approvals"] as const
export const artifactsKey = (workId: string) => ["work", workId, "artifacts"] as const
/** Who decided and answered what of a Work. */
export const recordKey = (workId: string) => ["work", workId, "record"] as const
/** Why the person sees a Work. */
export const reasonKey = (workId: string) => ["work", workId, "reason"] as const
/** What waits for a person across all Work: for the two inbox pages and the counts. */
export const waitingKey = ["waiting"] as const
