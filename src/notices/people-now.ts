/** Who can be mailed now: people who signed in within the last 30 days, with an address, their choice, and when they last used the desk. */
import type { Log } from "../platform/log.ts"
import { isPlainAddress } from "../people/plain-address.ts"
import type { Access } from "../people/access.ts"
import type { Directory } from "../people/directory.ts"
import { type Viewer, viewerOf } from "../people/visibility.ts"
import type { Reader } from "../store/database.ts"
import { DEFAULT_CHOICE, readChoices } from "./choices.ts"
import { isStoppedAfter, readDeliveryStates } from "./delivery-states.ts"
import { IN_USE_MS, type NoticePerson } from "./due.ts"
import type { Told } from "./told.ts"

/** A person who can be mailed. */
export type ReachablePerson = { readonly person: NoticePerson; readonly address: string; readonly viewer: Viewer }

/** How many of the newest rows of the record are searched for use of the desk. The record has no index by time, and may have millions of rows. */
const RECENT_ROWS = 2_000

export type PeopleNowOptions = {
  readonly database: Reader
  readonly directory: Directory
  readonly access: () => Access
  readonly log: Log
}

/** Reads the people, by id. `warned` keeps the persons and addresses that the log has named. @throws StoreUnavailableError */
export async function readPeopleNow(
  { database, directory, access, log }: PeopleNowOptions,
  told: Told,
  warned: Set<string>,
): Promise<ReadonlyMap<string, ReachablePerson>> {
  const [recent, choices, states, used] = await Promise.all([
    directory.recent(0),
    readChoices(database),
    readDeliveryStates(database),
    readUse(database, Date.now()),
  ])
  const found = new Map<string, ReachablePerson>()
  const rules = access()
  for (const { id, identity, signedInAt } of recent.values()) {
    const { choice = DEFAULT_CHOICE, chosenAgainAt = 0 } = choices.get(id) ?? {}
    told.chosenAgain(id, chosenAgainAt)
    const address = identity.email
    if (address === undefined || isStoppedAfter(states.get(id)?.refusals ?? 0)) continue
    if (!isPlainAddress(address)) {
      const key = JSON.stringify([id, address])
      if (!warned.has(key)) log.warn({ person: id }, "a person's address cannot stand in a mail")
      warned.add(key)
      continue
    }
    const usedAt = Math.max(signedInAt, used.get(id) ?? 0)
    const person = { id, number: told.numberOf(id), choice, usedAt }
    found.set(id, { person, address, viewer: viewerOf({ id, identity }, rules) })
  }
  return found
}

/** When people used the desk within the last two minutes: a touch or a mutation. @throws StoreUnavailableError */
async function readUse({ read }: Reader, now: number): Promise<ReadonlyMap<string, number>> {
  const since = now - IN_USE_MS
  const rows = await read(
    `SELECT person_id, MAX(at) AS at FROM (
       SELECT person_id, touched_at AS at FROM session WHERE touched_at > ?
       UNION ALL SELECT person_id, at FROM record
         WHERE sequence > (SELECT COALESCE(MAX(sequence), 0) FROM record) - ${RECENT_ROWS} AND at > ?) AS used
     WHERE person_id IS NOT NULL GROUP BY person_id`,
    since,
    since,
  )
  return new Map(rows.map((row) => [String(row["person_id"]), Number(row["at"])]))
}
