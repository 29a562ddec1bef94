import type { Store } from "./store/store.ts"

/**
 * Makes a Work older by `milliseconds`, with its uploads, events, clarifications, approvals and Artifacts. Only the demonstration uses this
 * function, and the API has no such operation. The `version` stays the same. Rejects when the store cannot be written.
 */
export async function backdateWork(store: Store, workId: string, milliseconds: number): Promise<void> {
  const by = Math.round(milliseconds)
  await store.effect(() => {
    store.run("UPDATE work SET created_at = created_at - ?1, updated_at = updated_at - ?1 WHERE id = ?2", by, workId)
    store.run(
      "UPDATE upload SET created_at = created_at - ?1, expires_at = expires_at - ?1 WHERE work_id = ?2",
      by,
      workId,
    )
    store.run("UPDATE event SET occurred_at = occurred_at - ?1 WHERE work_id = ?2", by, workId)
    store.run("UPDATE artifact SET created_at = created_at - ?1 WHERE work_id = ?2", by, workId)
    for (const table of ["attention", "approval"]) {
      store.run(
        `UPDATE ${table} SET created_at = created_at - ?1, resolved_at = resolved_at - ?1 WHERE work_id = ?2`,
        by,
        workId,
      )
    }
  })
}
