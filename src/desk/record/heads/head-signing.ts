/**
 * Signs the head of the chain: once an hour when rows have come, at a freeze, and when the desk ends. Of all desks that share the store, one signs a
 * head. What is to be signed is found in the store, so that a freeze by a command, or by a desk that was killed, is signed, too.
 */
import * as v from "valibot"
import { inBackground } from "../../../platform/background.ts"
import { type Database, type Reader, StoreUnavailableError } from "../../store/database.ts"
import { insert, optional, select } from "../../store/tables.ts"
import { type Head, readHead } from "../hash-chain.ts"
import type { AppendedRow } from "../record-rows.ts"
import { sharedRuns } from "../shared-runs.ts"
import { formatHeadText } from "./head-note.ts"
import { keepVerifier, type KeyPlace, readKey } from "./record-key.ts"
import { signNote, toVerifierKey } from "./signed-note.ts"

/** How often a desk looks for a freeze that another process made. */
const LOOK_MS = 2_000
const HOUR_MS = 3_600_000

/** How long heads stay in the store, whether they were sent or not. */
export const HEADS_KEPT_MS = 30 * 86_400_000

export type SignedHead = Head & { readonly origin: string; readonly note: string }

export type HeadSigningOptions = {
  readonly database: Database
  readonly place: KeyPlace
  readonly origin: string
  /** Called with each head before it is stored: what the store has is then in the log, too. */
  readonly onSigned: (head: SignedHead) => void
  /** Called when heads were removed after 30 days although they were not sent. */
  readonly onExpired: (unsent: number) => void
  readonly onFailed: (error: unknown) => void
}

const newestRow = v.object({ number: v.number(), sequence: v.number(), signedAt: v.number() })
type Newest = v.InferOutput<typeof newestRow>
const expiredRow = v.object({ sentAt: optional(v.number()) })

export class HeadSigning {
  readonly #options: HeadSigningOptions
  readonly #timer: NodeJS.Timeout
  readonly #look = sharedRuns(() => this.#signIf(isDue))

  constructor(options: HeadSigningOptions) {
    this.#options = options
    const look = () => inBackground(this.#look)
    this.#timer = setInterval(look, LOOK_MS).unref()
    look()
  }

  /** Call this with rows that this desk has appended: a freeze is signed at once. */
  onRows(rows: readonly AppendedRow[]): void {
    if (rows.some((row) => row.kind === "intent" && row.operation === "freeze")) inBackground(this.#look)
  }

  /** Signs the last head. Call this when no more rows come from this desk. Never rejects. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#look()
    await this.#signIf(async () => true)
  }

  /** Signs the head unless it is signed already. `isNeeded` is asked twice, because another desk may sign in between. */
  async #signIf(isNeeded: (store: Reader, newest: Newest | undefined) => Promise<boolean>): Promise<void> {
    const { database, origin, place, onSigned, onExpired, onFailed } = this.#options
    try {
      if ((await findUnsigned(database, isNeeded)) === undefined) return
      await database.transaction("record", async (statements) => {
        const unsigned = await findUnsigned(statements, isNeeded)
        if (unsigned === undefined) return
        const { head, number } = unsigned
        const key = await readKey(statements, place)
        await keepVerifier(statements, toVerifierKey(origin, key))
        const signedAt = Date.now()
        const note = signNote(formatHeadText(origin, head, signedAt), origin, key)
        onSigned({ ...head, origin, note })
        await insert(statements, "record_head", { number, sequence: head.sequence, note, signedAt })
        const expired = await select(
          { read: statements.write },
          expiredRow,
          "DELETE FROM record_head WHERE signed_at < ? AND number < ? RETURNING sent_at",
          signedAt - HEADS_KEPT_MS,
          number,
        )
        const unsent = expired.filter(({ sentAt }) => sentAt === undefined).length
        if (unsent > 0) onExpired(unsent)
      })
    } catch (error) {
      // While the store is away, the record reports it, and the next look signs.
      if (!(error instanceof StoreUnavailableError)) onFailed(error)
    }
  }
}

/** The head of the chain, and the number of its note, if it is to be signed. */
async function findUnsigned(
  store: Reader,
  isNeeded: (store: Reader, newest: Newest | undefined) => Promise<boolean>,
): Promise<{ readonly head: Head; readonly number: number } | undefined> {
  const sql = "SELECT number, sequence, signed_at FROM record_head ORDER BY number DESC LIMIT 1"
  const [newest] = await select(store, newestRow, sql)
  const head = await readHead(store)
  if (head.sequence === (newest?.sequence ?? 0) || !(await isNeeded(store, newest))) return undefined
  return { head, number: (newest?.number ?? 0) + 1 }
}

/** Whether the newest head is an hour old, or older than a freeze. */
async function isDue({ read }: Reader, newest: Newest | undefined): Promise<boolean> {
  // A clock that was set back by more than an hour must not stop the heads.
  if (newest === undefined || Math.abs(Date.now() - newest.signedAt) >= HOUR_MS) return true
  const sql = "SELECT sequence FROM record WHERE operation = 'freeze' AND sequence > ? LIMIT 1"
  return (await read(sql, newest.sequence)).length > 0
}
