/** A copy in memory of the approves that the desk keeps, for the answers about what waits. */
import type { WaitingApproval } from "../contract/desk-work.ts"
import { approvalsNeeded, rulesFor } from "../people/rules/rules.ts"
import { toGiven } from "./approve-together.ts"
import type { RecordOptions } from "./hash-chain.ts"
import {
  type ApprovalContent,
  type ApprovalId,
  countingOf,
  type HeldApproval,
  heldKey,
  readAllHeld,
} from "./held-approvals.ts"
import { sharedRuns } from "./shared-runs.ts"

/** Persons may have signed in with other groups, or may have created Work, without a message. */
const REFRESH_MS = 5_000

type Options = Pick<RecordOptions, "database" | "access" | "onFailed">

export class HeldApprovalsCopy {
  readonly #options: Options
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: () => void
  readonly #timer: NodeJS.Timeout
  #held: ReadonlyMap<string, readonly HeldApproval[]> = new Map()
  #hasFailed = false
  #isStopped = false
  /** Reads all approves again. */
  readonly #refresh = sharedRuns(() => this.#read())

  constructor(options: Options) {
    this.#options = options
    this.#unsubscribe = options.database.subscribe("held", () => void this.#refresh())
    this.#timer = setInterval(
      () => (this.#held.size > 0 || this.#hasFailed) && void this.#refresh(),
      REFRESH_MS,
    ).unref()
    void this.#refresh()
  }

  /** How many approvals an approval needs and who has given one. Undefined when one suffices. Reads nothing. */
  of(item: ApprovalId & ApprovalContent): WaitingApproval["approvals"] {
    const access = this.#options.access()
    const needed = approvalsNeeded(rulesFor(access, item.asked))
    if (needed === 1) return undefined
    const held = this.#held.get(heldKey(item)) ?? []
    const earlier = held.filter(({ version }) => version !== item.version)
    return {
      needed,
      given: countingOf(held, item, access).map(toGiven),
      earlier: earlier.map(({ personId: id, name, version }) => ({ person: { id, name }, version })),
    }
  }

  /** Calls `changed` when approves came or went, at this desk or another. @returns a function that removes the listener */
  onChange(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => void this.#listeners.delete(changed)
  }

  /** The approves have changed at this desk. Resolves when the change is read. */
  async changed(): Promise<void> {
    this.#options.database.publish("held", "").catch(() => undefined)
    await this.#refresh()
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
    this.#unsubscribe()
  }

  async #read(): Promise<void> {
    try {
      const held = await readAllHeld(this.#options.database)
      const isSame = JSON.stringify([...held]) === JSON.stringify([...this.#held])
      this.#held = held
      this.#hasFailed = false
      if (!isSame) for (const changed of this.#listeners) changed()
    } catch (error) {
      // The timer reads again.
      this.#hasFailed = true
      // At the end the store may be closed during a read.
      if (!this.#isStopped) this.#options.onFailed(error)
    }
  }
}
