/**
 * The gate of a mutation. Before the mutation is sent: the checks (`mutation-checks.ts`), and the transaction that stores its intent row. After the
 * answer: the outcome row. `mutations.ts` of the proxy calls the gate both times. `docs/architecture.md` has the states of an attempt as a table.
 */
import { type ApprovalInQuestion, patternsOf, rulesFor } from "../../people/rules/rules.ts"
import type { ApproveHeld, MayApprove } from "../../../contract/desk-work.ts"
import { inBackground } from "../../../platform/background.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Session } from "../../people/people-interface.ts"
import { StoreUnavailableError } from "../../store/database.ts"
import { keepOpenCreation } from "../creations.ts"
import { inRecord, type RecordOptions, type RecordTransaction } from "../hash-chain.ts"
import type { IntentRow } from "../record-rows.ts"
import { LEAVES_MS, waitForOutcome } from "./attempt-state.ts"
import { checkFreezesAgain } from "./freeze-check.ts"
import { approvalsChanged, changeNotDeclined, recordUnavailable, versionStale } from "./gate-refusals.ts"
import type { HeldApprovesCache } from "./held-approves-cache.ts"
import { holdOrSendApprove } from "./hold-or-send-approve.ts"
import { attemptsWith, checkKey } from "./idempotency-keys.ts"
import { intentOf, type Mutation, type MutationAnswer } from "./mutation.ts"
import { type CheckedMutation, type ItemReads, MutationChecks } from "./mutation-checks.ts"
import { Outcomes, type StoredIntent } from "./outcomes.ts"

/** What happens to a mutation next. */
export type Prepared =
  /** More approves are needed, so the desk holds this one. Nothing is sent, and the client gets `answer` with 202. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }
  | {
      readonly kind: "send"
      /** The bytes to send, unchanged. */
      readonly body: Buffer | undefined
      /** The request must not leave the desk after this time (of `performance.now()`), because a freeze may begin then. Undefined: no freeze can refuse it. */
      readonly leaveBy: number | undefined
      /** Stores the outcome. Call this once, before the client gets the answer. Resolves soon even if the row can't be stored. Never rejects. */
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

  /** Checks a mutation with the help of `reads`, then stores its intent or holds it. @throws Refused */
  async prepare(session: Session, mutation: Mutation, reads: ItemReads): Promise<Prepared> {
    try {
      let prepared: Prepared | "check again"
      do prepared = await this.#tryToPrepare(session, mutation, reads)
      while (prepared === "check again")
      return prepared
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      this.#options.onFailed(error)
      throw new Refused({ ...recordUnavailable, cause: error.logCause })
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

  /**
   * Checks a mutation, then runs the transaction of its intent. In between, other people and desks may have acted:
   *
   * | the transaction finds                     | then                                                                       |
   * | ----------------------------------------- | -------------------------------------------------------------------------- |
   * | nothing new                               | the intent is stored, and the mutation is sent                             |
   * | that more approves are needed             | the approve is held                                                        |
   * | a new freeze, and unknown colleagues      | the mutation is checked again, with its colleagues                         |
   * | another decision that is being sent       | it waits for that outcome: 412 if recorded, otherwise it is checked again  |
   */
  async #tryToPrepare(session: Session, mutation: Mutation, reads: ItemReads): Promise<Prepared | "check again"> {
    const checked = await this.#checks.check(session, mutation, reads)
    const intent = intentOf(session, mutation, checked.body, checked.about)
    if (mutation.wantsChange === true && intent.decision !== "decline") throw new Refused(changeNotDeclined)
    const found = await this.#storeIntent(session, mutation, intent, checked)
    switch (found.kind) {
      case "stored": {
        const { sequence, leaveBy } = found
        const storeOutcome = (answer: MutationAnswer) =>
          this.#storeOutcome({ session, mutation, intent, sequence }, answer)
        return { kind: "send", body: mutation.body, leaveBy, storeOutcome }
      }
      case "held":
        await this.#held.changed()
        return found
      case "colleagues not looked up":
        return "check again"
      case "another is being sent": {
        const outcome = await waitForOutcome(this.#options.database, found.underWay)
        if (outcome === "recorded") throw new Refused(versionStale)
        return "check again"
      }
    }
  }

  /** Runs the transaction of the intent. If it fails, nothing is sent. @throws Refused @throws StoreUnavailableError */
  async #storeIntent(session: Session, mutation: Mutation, intent: IntentRow, checked: CheckedMutation) {
    try {
      return await inRecord(this.#options, (transaction) =>
        this.#appendIntent(transaction, session, mutation, intent, checked),
      )
    } catch (error) {
      if (error instanceof Refused) throw error
      // If only the answer to the COMMIT was lost, the intent is stored, and without an outcome it looks as if it was sent.
      this.#outcomes.settleUnsent({ session, mutation, intent })
      if (error instanceof StoreUnavailableError) throw error
      throw new StoreUnavailableError("no row", "refused", { cause: error })
    }
  }

  /** Checks session, role, key, freezes and rules again, because reading the service may have taken a minute. Appends the intent, or holds the approve. */
  async #appendIntent(
    transaction: RecordTransaction,
    session: Session,
    mutation: Mutation,
    checkedIntent: IntentRow,
    { approval, several, affected, asked }: CheckedMutation,
  ) {
    const { mode, access, checkSession } = this.#options
    const intent = asked ? { ...checkedIntent, rules: patternsOf(rulesFor(access(), asked)) } : checkedIntent
    const now = await checkSession?.(transaction, session, mutation.operation)
    const attempts = await attemptsWith(transaction, mutation, session.person.id)
    if (mode !== "local") await checkKey(transaction, attempts, session, mutation)
    const freezes = await checkFreezesAgain(transaction, affected)
    if (freezes === "not looked up") return { kind: "colleagues not looked up" as const }
    if (approval !== undefined) await this.#checks.checkRules(now ?? session, approval, transaction)
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
  }

  async #storeOutcome(stored: StoredIntent, answer: MutationAnswer): Promise<void> {
    await this.#outcomes.store(stored, answer)
    if (stored.mutation.operation === "resolveWorkApproval") inBackground(() => this.#held.changed())
  }
}
