/** Items that wait and people who can be mailed, for tests of what is due. */
import type { NoticeChoice } from "../../../contract/desk-people.ts"
import { parseAccess } from "../../people/access-file.ts"
import { viewerOf } from "../../people/visibility.ts"
import { readApprovalList, readOneWork } from "../../watcher/read-resources.ts"
import { fakeApproval, fakeWork, workJson } from "../../watcher/testing/simulation.ts"
import { WatchState } from "../../watcher/watch-state.ts"
import type { KnownItem } from "../known-items.ts"
import type { Person } from "../people-now.ts"
import type { WaitingItem } from "../waiting-items.ts"

const ACCESS = parseAccess(
  JSON.stringify({
    roles: { reader: ["anyone"], approver: ["group:finance"] },
    visibility: { teams: [{ name: "Finance", members: ["group:payroll"] }] },
  }),
)
const CHOICE: NoticeChoice = {
  mail: "hourly",
  urgent_at_once: true,
  quiet_from: null,
  quiet_until: null,
  time_zone: "UTC",
  own_work: "end",
  push: false,
}

/** A person who has not used the desk for long. */
export function personForTest(id: string, choice: Partial<NoticeChoice> = {}, groups = ["finance"]): Person {
  const identity = { issuer: "https://login.example", subject: id, groups }
  const viewer = viewerOf({ id, identity }, ACCESS)
  return {
    id,
    address: `${id}@example.com`,
    choice: { ...CHOICE, ...choice },
    usedAt: 0,
    viewer,
    pushFrom: undefined,
    away: undefined,
    backAt: 0,
    standsInFor: [],
  }
}

export type ItemForTest = {
  readonly version?: string
  readonly seenAt?: number
  readonly priority?: string
  readonly colleague?: string
  readonly kind?: KnownItem["kind"]
}

/** An approval `id` of the Work `work id`. */
export function itemForTest(id: string, facts: ItemForTest = {}, more: Partial<WaitingItem> = {}): WaitingItem {
  const { version = "1", seenAt = 0, priority = "normal", colleague = "analyst", kind = "approval" } = facts
  const workId = `work ${id}`
  const state = new WatchState()
  const work = fakeWork(workId, 0, { json: { priority, colleague_id: colleague } })
  state.applyWork(readOneWork(JSON.stringify(workJson(work))), 1, 0)
  const watched = state.works.get(workId)
  const [listed] = readApprovalList(JSON.stringify({ data: [fakeApproval(id, { work_id: workId })] }))
  if (watched === undefined || listed === undefined) throw new Error("the item cannot be read")
  const known: KnownItem = {
    kind,
    workId,
    itemId: id,
    version,
    colleague,
    priority,
    createdAt: "",
    seenAt,
    notified: new Map(),
  }
  return { watched, listed, known, since: seenAt, notFor: [], escalations: [], ...more }
}
