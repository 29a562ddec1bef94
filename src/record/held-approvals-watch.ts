/** The approves that the desk keeps, in memory, for the answers about what waits. */
import type { WaitingApproval } from "../contract/desk-work.ts"
import type { Access } from "../people/access.ts"
import { approvalsNeeded, rulesFor } from "../people/rules/rules.ts"
import type { Database } from "../store/database.ts"
import { toGiven } from "./approve-together.ts"
import {
  type ApprovalContent,
  type ApprovalId,
  countingOf,
  type HeldApproval,
  heldKey,
  readAllHeld,
} from "./held-approvals.ts"

/** Persons may have signed in with other groups, or may have created Work, without a message. */
const REFRESH_MS = 5_000
/** How many destinations the rules are remembered for. */
const NEEDED_MAX = 10_000

export type HeldApprovalsOptions = {
  readonly database: Database
  readonly access: () => Access
  readonly onFailed: (error: unknown) => void
}

export class HeldApprovals {
  readonly #options: HeldApprovalsOptions
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: () => void
  readonly #timer: NodeJS.Timeout
  #held: ReadonlyMap<string, readonly HeldApproval[]> = new Map()
  #needed: { readonly access: Access; readonly byContent: Map<string, number> } | undefined
  #reading: Promise<void> | undefined
  #isStale = false
  #isStopped = false

  constructor(options: HeldApprovalsOptions) {
    this.#options = options
    this.#unsubscribe = options.database.subscribe("held", () => void this.#refresh())
    this.#timer = setInterval(() => (this.#held.size > 0 || this.#isStale) && void this.#refresh(), REFRESH_MS).unref()
    void this.#refresh()
  }

  /**
   * How many approvals an approval needs and who has given one. Undefined when one suffices. Cheap for hundreds of approvals: reads nothing, and
   * asks for the hash of the content only when somebody has approved the version.
   */
  of(item: ApprovalId & ApprovalContent): WaitingApproval["approvals"] {
    const access = this.#options.access()
    const needed = this.#neededFor(item, access)
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

  /** Reads all approves again. A call during a read begins another read after it. */
  #refresh(): Promise<void> {
    this.#isStale = true
    this.#reading ??= this.#read()
    return this.#reading
  }

  async #read(): Promise<void> {
    let hasFailed = false
    while (this.#isStale && !hasFailed) {
      this.#isStale = false
      try {
        const held = await readAllHeld(this.#options.database)
        const isSame = JSON.stringify([...held]) === JSON.stringify([...this.#held])
        this.#held = held
        if (!isSame) for (const changed of this.#listeners) changed()
      } catch (error) {
        // At the end the store may be closed during a read.
        if (!this.#isStopped) this.#options.onFailed(error)
        // The timer reads again.
        hasFailed = true
        this.#isStale = true
      }
    }
    // Here, and not in a later turn, so that no call joins a read that is over.
    this.#reading = undefined
  }

  #neededFor({ destination, colleague }: ApprovalContent, access: Access): number {
    if (!access.rules.some((rule) => rule.approvalsNeeded !== undefined)) return 1
    if (this.#needed?.access !== access || this.#needed.byContent.size > NEEDED_MAX) {
      this.#needed = { access, byContent: new Map() }
    }
    const key = JSON.stringify([destination, colleague])
    const known = this.#needed.byContent.get(key)
    const needed = known ?? approvalsNeeded(rulesFor(access, { destination, colleague }))
    if (known === undefined) this.#needed.byContent.set(key, needed)
    return needed
  }
}
