/** Which approves the desks of the store are sending to the service: for each approval, the last one that is needed. */
import { setTimeout as delay } from "node:timers/promises"
import type { Database, Statements } from "../../store/database.ts"
import type { ApprovalId } from "./held-approvals.ts"

/** A desk that sends an approve counts `beats` up this often. After DEAD_MS without a beat the desk counts as killed. */
const BEAT_MS = 1_500
const DEAD_MS = 5_000
/** How often another desk, which waits for the outcome, looks at the mark. */
const POLL_MS = 100

export class SendingApprovals {
  readonly #database: Database
  readonly #timers = new Map<number, NodeJS.Timeout>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Marks an approve as being sent, in the transaction that stores its intent. */
  async begin({ write }: Statements, item: ApprovalId, intent: number, keyHash: string): Promise<void> {
    const values = [intent, item.workId, item.approvalId, keyHash]
    await write(
      "INSERT INTO sending_approval (intent, work_id, approval_id, key_hash, beats) VALUES (?, ?, ?, ?, 0)",
      ...values,
    )
  }

  /** Shows the other desks that this desk lives, until `answered`. */
  beat(intent: number): void {
    const beat = () =>
      this.#database
        .write("UPDATE sending_approval SET beats = beats + 1 WHERE intent = ?", intent)
        .catch(() => undefined)
    this.#timers.set(intent, setInterval(() => void beat(), BEAT_MS).unref())
  }

  /** Ends the beats, because the service has answered. The transaction that stores the outcome removes the mark. */
  answered(intent: number): void {
    clearInterval(this.#timers.get(intent))
    this.#timers.delete(intent)
  }

  /** Ends all beats, because this desk ends. */
  stop(): void {
    for (const timer of this.#timers.values()) clearInterval(timer)
  }

  /** The intent of an approve of `item` that is being sent, under another key than `exceptKeyHash`. Undefined: there is none. */
  async find({ read }: Statements, item: ApprovalId, exceptKeyHash = ""): Promise<number | undefined> {
    const [row] = await read(
      "SELECT intent FROM sending_approval WHERE work_id = ? AND approval_id = ? AND key_hash <> ? ORDER BY intent LIMIT 1",
      item.workId,
      item.approvalId,
      exceptKeyHash,
    )
    return row === undefined ? undefined : Number(row["intent"])
  }

  /** Waits until an approve is not being sent any more. @returns its outcome; `unknown` also when its desk was killed */
  async outcomeOf(intent: number): Promise<string> {
    let beats: unknown
    let beatAt = performance.now()
    for (;;) {
      const [row] = await this.#database.read("SELECT beats FROM sending_approval WHERE intent = ?", intent)
      if (row === undefined) break
      if (row["beats"] !== beats) beatAt = performance.now()
      beats = row["beats"]
      if (performance.now() - beatAt > DEAD_MS) {
        await this.#database.write("DELETE FROM sending_approval WHERE intent = ?", intent)
        return "unknown"
      }
      await delay(POLL_MS)
    }
    const [row] = await this.#database.read(
      "SELECT outcome FROM record WHERE intent = ? AND outcome IS NOT NULL ORDER BY sequence DESC LIMIT 1",
      intent,
    )
    return String(row?.["outcome"] ?? "unknown")
  }
}
