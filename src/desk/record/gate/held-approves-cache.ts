/** A cache of the approves that the desk holds, so that the answers about what waits read nothing from the store. */
import { isDeepStrictEqual } from "node:util"
import type { WaitingApproval } from "../../../contract/desk-work.ts"
import { approvalsNeeded, rulesFor } from "../../people/rules/rules.ts"
import { toGiven } from "./hold-or-send-approve.ts"
import { inRecord, type RecordOptions } from "../hash-chain.ts"
import {
  type ApprovalContent,
  type ApprovalId,
  countingOf,
  type HeldApprove,
  heldKey,
  readAllHeld,
  removeHeld,
} from "./held-approves.ts"
import { sharedRuns } from "../shared-runs.ts"
import { inBackground } from "../../../platform/background.ts"

/** How often the approves are read again, because no message tells that a person signed in with other groups or created Work. */
const REFRESH_MS = 5_000

type Options = Pick<RecordOptions, "database" | "access" | "onFailed" | "onStored">

export class HeldApprovesCache {
  readonly #options: Options
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: () => void
  readonly #timer: NodeJS.Timeout
  #held: ReadonlyMap<string, readonly HeldApprove[]> = new Map()
  #hasFailed = false
  #isStopped = false
  readonly #refresh = sharedRuns(() => this.#read())

  constructor(options: Options) {
    this.#options = options
    this.#unsubscribe = options.database.subscribe("held", () => inBackground(this.#refresh))
    const readAgain = () => {
      const isCertainlyEmpty = this.#held.size === 0 && !this.#hasFailed
      if (!isCertainlyEmpty) inBackground(this.#refresh)
    }
    this.#timer = setInterval(readAgain, REFRESH_MS).unref()
    inBackground(this.#refresh)
  }

  /** How many approves an approval needs, and who has given one. Undefined when one suffices. Reads nothing from the store. */
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

  /** Removes the approves of approvals that the service has resolved elsewhere. A decision at this desk has removed its own (`settleHeld`). */
  end(workId: string, isResolved: (approvalId: string, storedAt: number) => boolean): void {
    const ended = [...this.#held.values()]
      .flat()
      .filter((held) => held.workId === workId && isResolved(held.approvalId, held.givenAt))
    if (ended.length === 0) return
    // While the store is away, the rows stay until the watcher reads the Work again.
    inRecord(this.#options, (transaction) => removeHeld(transaction, ended)).then(
      () => this.changed(),
      () => undefined,
    )
  }

  /** Tells the other desks that approves have changed here, and reads the change. */
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
      const isSame = isDeepStrictEqual(held, this.#held)
      this.#held = held
      this.#hasFailed = false
      if (!isSame) for (const changed of this.#listeners) changed()
    } catch (error) {
      // The timer reads again.
      this.#hasFailed = true
      // After `stop` the store may be closed during a read, which is no failure.
      if (!this.#isStopped) this.#options.onFailed(error)
    }
  }
}
