/**
 * The gate of a mutation. Before the mutation is sent: the checks (`mutation-checks.ts`), and the transaction that stores its intent row. After the
 * answer: the outcome row. `mutations.ts` of the proxy calls the gate both times. `docs/architecture.md` has the states of an attempt as a table.
 */
import type { ApprovalInQuestion } from "../../people/rules/rules.ts"
import type { ApproveHeld, MayApprove } from "../../../contract/desk-work.ts"
import { inBackground } from "../../../platform/background.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Session } from "../../people/people-interface.ts"
import { StoreUnavailableError } from "../../store/database.ts"
import { keepOpenCreation } from "../creations.ts"
import { inRecord, type RecordOptions } from "../hash-chain.ts"
import type { IntentRow } from "../record-rows.ts"
import { LEAVES_MS, waitForOutcome } from "./attempt-state.ts"
import { checkFreezesAgain } from "./freeze-check.ts"
import { approvalsChanged, changeNotDeclined, recordUnavailable, versionStale } from "./gate-refusals.ts"
import type { HeldApprovesCache } from "./held-approves-cache.ts"
import { holdOrSendApprove } from "./hold-or-send-approve.ts"
import { attemptsWith, checkKey } from "./idempotency-keys.ts"
import { intentOf, type Mutation, type MutationAnswer } from "./mutation.ts"
import { type CheckedMutation, type ItemReads, MutationChecks } from "./mutation-checks.ts"
import { Outcomes } from "./outcomes.ts"

/** What happens to a mutation next. */
export type Prepared =
  /** The desk holds an approve until the last one that is needed. The client gets this answer with 202, and nothing is sent. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }
  | {
      readonly kind: "send"
      /** The bytes to send, unchanged. */
      readonly body: Buffer | undefined
      /** Set if a freeze could refuse the mutation. Nothing may leave the desk after this time (of `performance.now()`): a freeze may have begun. */
      readonly leaveBy: number | undefined
      /**
       * Stores the outcome. Call this once, when the upstream has answered or has given no answer in time. Then wait for the promise and
       * answer the client. The promise resolves when the row is stored, or soon when it cannot be stored. It never rejects.
       */
      readonly storeOutcome: (answer: MutationAnswer) => Promise<void>
    }

export class MutationGate {
  readonly #options: RecordOptions
  readonly #held: HeldApprovesCache
  readonly #checks: MutationChecks
  readonly #outcomes: Outcomes

  constructor(options: RecordOptions, held: HeldApprovesCache) {
    this.#options = options
    this.#held = held
    this.#checks = new MutationChecks(options)
    this.#outcomes = new Outcomes(options)
  }

  /** Checks a mutation with the help of `reads`, and stores its intent, or holds it. @throws Refused */
  async prepare(session: Session, mutation: Mutation, reads: ItemReads): Promise<Prepared> {
    try {
      let prepared: Prepared | undefined
      while (prepared === undefined) prepared = await this.#tryToPrepare(session, mutation, reads)
      return prepared
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      this.#options.onFailed(error)
      throw new Refused({ ...recordUnavailable, cause: error.logCause })
    }
  }

  /**
   * Checks a mutation, then runs the transaction of its intent. Undefined: something happened between the two, so everything is checked again.
   *
   * | the transaction finds                  | then                                                                      |
   * | -------------------------------------- | ------------------------------------------------------------------------- |
   * | nothing new                            | the intent is stored, and the mutation is sent                            |
   * | that more approves are needed          | the approve is held                                                       |
   * | a new freeze, and unknown colleagues   | it is checked again, with the colleagues                                  |
   * | another decision that is being sent    | it waits for that outcome: if recorded, 412; otherwise it is checked again |
   */
  async #tryToPrepare(session: Session, mutation: Mutation, reads: ItemReads): Promise<Prepared | undefined> {
    const checked = await this.#checks.check(session, mutation, reads)
    const begun = await this.#begin(session, mutation, checked)
    switch (begun.kind) {
      case "send":
      case "held":
        return begun
      case "colleagues not looked up":
        return undefined
      case "another is being sent": {
        const outcome = await waitForOutcome(this.#options.database, begun.underWay)
        if (outcome === "recorded") throw new Refused(versionStale)
        return undefined
      }
    }
  }

  /** Whether the rules let the person approve. @throws StoreUnavailableError */
  mayApprove(session: Session, approval: ApprovalInQuestion): Promise<MayApprove> {
    return this.#checks.mayApprove(session, approval)
  }

  /** Resolves when every outcome row that is on its way is stored, or after a moment. */
  finished(): Promise<void> {
    return this.#outcomes.finished()
  }

  /** Runs the transaction of the intent. Resolves with what to send, or with what else the transaction found (`#tryToPrepare`). */
  async #begin(session: Session, mutation: Mutation, checked: CheckedMutation) {
    const intent = intentOf(session, mutation, checked.body, checked.about)
    if (mutation.wantsChange === true && intent.decision !== "decline") throw new Refused(changeNotDeclined)
    const begun = await this.#storeIntent(session, mutation, intent, checked).catch((error: unknown) => {
      if (error instanceof Refused) throw error
      // Nothing is sent. If only the answer to the COMMIT was lost, the intent is stored, and without an outcome it looks as if it was sent.
      this.#outcomes.settleUnsent({ session, mutation, intent })
      if (error instanceof StoreUnavailableError) throw error
      throw new StoreUnavailableError("no row", "refused", { cause: error })
    })
    if (begun.kind === "held") await this.#held.changed()
    if (begun.kind !== "stored") return begun
    const { sequence, leaveBy } = begun
    return {
      kind: "send" as const,
      body: mutation.body,
      leaveBy,
      storeOutcome: async (answer: MutationAnswer) => {
        await this.#outcomes.store({ session, mutation, intent, sequence }, answer)
        if (mutation.operation === "resolveWorkApproval") inBackground(() => this.#held.changed())
      },
    }
  }

  /**
   * Stores the intent. The transaction checks session, role, key and freezes again, because other people and desks act at the same time. When several
   * people must approve, it also decides whether this approve is the last one.
   */
  #storeIntent(session: Session, mutation: Mutation, intent: IntentRow, { several, affected }: CheckedMutation) {
    const { mode, access, checkSession } = this.#options
    return inRecord(this.#options, async (transaction) => {
      // The checks have read the service, which may have taken a minute.
      await checkSession?.(transaction, session, mutation.operation)
      const attempts = await attemptsWith(transaction, mutation, session.person.id)
      if (mode !== "local") await checkKey(transaction, attempts, session, mutation)
      const freezes = await checkFreezesAgain(transaction, affected)
      if (freezes === "not looked up") return { kind: "colleagues not looked up" as const }
      if (several !== undefined) {
        const approve = { ...several, session, mutation, intent, attempts }
        const next = await holdOrSendApprove(transaction, approve, access())
        if (next.kind !== "send") return next
      }
      if (mutation.mustHold === true) throw new Refused(approvalsChanged)
      const row = await transaction.append(intent)
      const isReplay = attempts.some(({ outcome }) => outcome === "recorded")
      if (!isReplay) await keepOpenCreation(transaction, row)
      // Computed before anybody else can read the row, so a freeze that reads the row waits until after this time.
      const leaveBy = affected && performance.now() + LEAVES_MS
      return { kind: "stored" as const, sequence: row.sequence, leaveBy }
    })
  }
}
