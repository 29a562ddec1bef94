/** What is frozen, and who has frozen it (`docs/team.md`, "Freeze"). `desk/record/gate/freeze-check.ts` refuses by these rows. */
import * as v from "valibot"
import type { Person } from "../../contract/desk-people.ts"
import { type Freeze, FREEZE_REASON_MAX, type FreezeChange } from "../../contract/desk-work.ts"
import { countCharacters } from "../../contract/limits.ts"
import { isSameText } from "../../contract/same-text.ts"
import { nameOf, OPERATOR } from "../people/directory.ts"
import type { Reader } from "../store/database.ts"
import { StoreCopy } from "../store/store-copy.ts"
import { insert, optional, select } from "../store/tables.ts"
import { appendDone } from "./desk-actions.ts"
import { waitForLeaving } from "./gate/attempt-state.ts"
import { type Appender, inRecord, type RecordOptions } from "./hash-chain.ts"
import { inBackground } from "../../platform/background.ts"

/** How often the rows are read again, because the command of another process can't notify a desk with SQLite. */
const REFRESH_MS = 2_000

/** A reason: 1 to FREEZE_REASON_MAX characters. */
export const freezeReason = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1),
  v.check((text) => countCharacters(text) <= FREEZE_REASON_MAX),
)

const freezeRow = v.pipe(
  v.object({
    /** Empty: the whole desk is frozen. */
    colleague: v.string(),
    personId: optional(v.string()),
    personName: optional(v.string()),
    since: v.number(),
    reason: v.string(),
  }),
  v.transform(({ colleague, personId: id, personName, since, reason }): Freeze => {
    const by = id === undefined ? OPERATOR : { id, name: nameOf(id, personName) }
    return { colleague: colleague === "" ? null : colleague, by, since: new Date(since).toISOString(), reason }
  }),
)

/** Reads what is frozen, the whole desk first. @throws StoreUnavailableError */
export function readFreezes(store: Reader): Promise<readonly Freeze[]> {
  const sql = `SELECT colleague, person_id, person.name AS person_name, since, reason
    FROM frozen LEFT JOIN person ON person.id = person_id ORDER BY colleague`
  return select(store, freezeRow, sql)
}

/** Who freezes: a person, or the operator. */
type Author = Pick<Person, "id" | "roles">

export const operator: Author = { id: OPERATOR, roles: [] }

/**
 * Freezes a colleague, or (null) the desk. What is frozen already gets the new reason and author, and keeps its time. When this resolves, no desk of
 * the store sends anything that the freeze refuses. @throws StoreUnavailableError
 */
export async function freeze(
  store: Appender,
  author: Author,
  { colleague: frozen, reason }: FreezeChange,
  requestId: string,
): Promise<void> {
  await inRecord(store, async (transaction) => {
    const before = await findFreeze(transaction, frozen)
    if (before?.reason === reason) return
    const personId = author.id === OPERATOR ? null : author.id
    if (before === undefined) {
      await insert(transaction, "frozen", { colleague: frozen ?? "", personId, since: Date.now(), reason })
    } else {
      const sql = "UPDATE frozen SET reason = ?, person_id = ? WHERE colleague = ?"
      await transaction.write(sql, reason, personId, before.colleague ?? "")
    }
    await appendDone(transaction, author, {
      operation: "freeze",
      colleague: frozen ?? undefined,
      summary: reason,
      request_id: requestId,
    })
  })
  await Promise.all([notifyDesks(store), waitForLeaving(store.database)])
}

/** Ends the freeze of a colleague, or (null) of the desk. @returns whether anything was frozen @throws StoreUnavailableError */
export async function unfreeze(
  store: Appender,
  author: Author,
  colleague: string | null,
  requestId: string,
): Promise<boolean> {
  const isEnded = await inRecord(store, async (transaction) => {
    const before = await findFreeze(transaction, colleague)
    if (before === undefined) return false
    await transaction.write("DELETE FROM frozen WHERE colleague = ?", before.colleague ?? "")
    const action = { operation: "unfreeze", colleague: before.colleague ?? undefined, request_id: requestId } as const
    await appendDone(transaction, author, action)
    return true
  })
  await notifyDesks(store)
  return isEnded
}

/** Finds a freeze of a colleague, or (null) of the desk, comparing ids as the check of a mutation does. */
async function findFreeze(store: Reader, colleague: string | null): Promise<Freeze | undefined> {
  const freezes = await readFreezes(store)
  return freezes.find((each) =>
    colleague === null || each.colleague === null
      ? colleague === each.colleague
      : isSameText(colleague, each.colleague),
  )
}

/** Whether any Work that the desk knows has this colleague. @throws StoreUnavailableError */
export async function isKnownColleague({ read }: Reader, colleague: string): Promise<boolean> {
  const rows = await read(
    `SELECT colleague FROM known_approval UNION SELECT colleague FROM known_work WHERE colleague IS NOT NULL
     UNION SELECT colleague FROM noticed_work UNION SELECT colleague FROM noticed_item`,
  )
  return rows.some((row) => isSameText(String(row["colleague"]), colleague))
}

/** Tells the other desks. A desk that misses the message reads the change soon. */
const notifyDesks = ({ database }: Appender) => database.publish("freeze", "").catch(() => undefined)

type Options = Pick<RecordOptions, "database" | "onStored">

/** A copy of what is frozen, for the answers about pending items. */
export class Freezes extends StoreCopy<readonly Freeze[]> {
  readonly #store: Options

  constructor(store: Options) {
    const { database } = store
    super({ database, topic: "freeze", refreshMs: REFRESH_MS, empty: [], read: () => readFreezes(database) })
    this.#store = store
    inBackground(this.load)
  }

  /** What is frozen now. @throws StoreUnavailableError */
  read(): Promise<readonly Freeze[]> {
    return readFreezes(this.#store.database)
  }

  /** As the function `freeze`. */
  async freeze(author: Author, change: FreezeChange, requestId: string): Promise<void> {
    await freeze(this.#store, author, change, requestId)
    await this.refresh()
  }

  /** As the function `unfreeze`. */
  async unfreeze(author: Author, colleague: string | null, requestId: string): Promise<boolean> {
    const isEnded = await unfreeze(this.#store, author, colleague, requestId)
    await this.refresh()
    return isEnded
  }
}
