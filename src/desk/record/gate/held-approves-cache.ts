/** A cache of the approves that the desk holds, so that the answers about pending items read nothing from the store. */
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
import { StoreCopy } from "../../store/store-copy.ts"
import { inBackground } from "../../../platform/background.ts"

/** How often the approves are read again, because no message says that a person signed in with other groups or created Work. */
const REFRESH_MS = 5_000

type Options = Pick<RecordOptions, "database" | "access" | "onStored">

export class HeldApprovesCache extends StoreCopy<ReadonlyMap<string, readonly HeldApprove[]>> {
  readonly #options: Options

  constructor(options: Options) {
    const { database } = options
    super({ database, topic: "held", refreshMs: REFRESH_MS, empty: new Map(), read: () => readAllHeld(database) })
    this.#options = options
    inBackground(this.load)
  }

  /** How many approves an approval needs, and who has given one. Undefined when one suffices. Reads nothing from the store. */
  of(item: ApprovalId & ApprovalContent): WaitingApproval["approvals"] {
    const access = this.#options.access()
    const needed = approvalsNeeded(rulesFor(access, item.asked))
    if (needed === 1) return undefined
    const held = this.now.get(heldKey(item)) ?? []
    const earlier = held.filter(({ version }) => version !== item.version)
    return {
      needed,
      given: countingOf(held, item, access).map(toGiven),
      earlier: earlier.map(({ personId: id, name, version }) => ({ person: { id, name }, version })),
    }
  }

  /** Removes the approves of approvals that the service has resolved elsewhere. A decision at this desk has removed its own (`settleHeld`). */
  end(workId: string, isResolved: (approvalId: string, storedAt: number) => boolean): void {
    const ended = [...this.now.values()]
      .flat()
      .filter((held) => held.workId === workId && isResolved(held.approvalId, held.givenAt))
    if (ended.length === 0) return
    // While the store is away, the rows stay until the watcher reads the Work again.
    inRecord(this.#options, (transaction) => removeHeld(transaction, ended)).then(
      () => this.changed(),
      () => undefined,
    )
  }
}
