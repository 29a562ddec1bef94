/** What answers `GET /desk/waiting` at a desk with sign-in, over a store. Tests and benchmarks change `state` in place of the watcher. */
import { Directory } from "../../people/directory.ts"
import type { Access } from "../../people/access-file.ts"
import { DeskRecord } from "../../record/desk-record.ts"
import { WorkPeople } from "../../record/work-people.ts"
import type { Database } from "../../store/database.ts"
import { entryMembersOf } from "../entry-members.ts"
import { Claims } from "../claims.ts"
import { LongPolls } from "../../watcher/long-polls.ts"
import { ReadPlan } from "../../watcher/read-plan.ts"
import { VisibleWorkCache } from "../../watcher/visible-work.ts"
import { itemsOf, type WatchedWork } from "../../watcher/watched-work.ts"

export async function openInbox(database: Database, access: () => Access, now: () => number) {
  const plan = new ReadPlan()
  const { state } = plan
  const workPeople = new WorkPeople(database)
  await workPeople.refresh()
  const visibleWork = new VisibleWorkCache({ state, done: undefined, people: workPeople })
  const nothing = () => undefined
  const record = new DeskRecord({
    database,
    mode: "sign-in",
    access,
    onStored: nothing,
    onFailed: nothing,
    onHead: nothing,
  })
  const directory = new Directory(database, "https://login.example")
  const claims = new Claims({
    mode: "sign-in",
    database,
    directory,
    record,
    access,
    isWatched: () => true,
    changed: (kind) => state.change(kind),
  })
  await claims.load()
  const claimable = (watched: WatchedWork, item: ReturnType<typeof itemsOf>[number]) => ({
    work: watched.work,
    item,
    facts: () => visibleWork.factsOf(watched),
    firstCreatedAt: item.createdAt,
  })
  const polls = new LongPolls(plan, visibleWork, now, entryMembersOf(claims, claimable))
  const stop = () => {
    claims.stop()
    void record.stop()
  }
  return { state, claims, polls, workPeople, stop }
}
