import type { Work } from "../../../contract/resources.ts"

/** A Work for tests. */
export const workForTest = (id: string, more: Partial<Work> = {}): Work => ({
  id,
  title: `Title of ${id}`,
  objective: "x",
  status: "working",
  colleague_id: "analyst",
  human_owner_id: "owner",
  visibility_scope: "private",
  priority: "normal",
  version: 1n,
  created_by: "sa",
  created_at: "2026-11-20T09:00:00Z",
  updated_at: "2026-11-20T09:00:00Z",
  ...more,
})
