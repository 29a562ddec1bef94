/**
 * The gate of a mutation. Before the mutation is sent: the checks of key, version and rules, and the intent row. After the answer: the outcome
 * row. `mutations.ts` of the proxy asks the gate both times. `docs/architecture.md` has the states of an attempt as a table.
 */
import { approverOf, checkRules } from "../../people/rules/rule-words.ts"
import { type ApprovalInQuestion, approvalsNeeded, rulesFor } from "../../people/rules/rules.ts"
import type { ApproveHeld, MayApprove } from "../../../contract/desk-work.ts"
import { type JsonObject, parseBody, parseObject } from "../../../platform/http/json-object.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Session } from "../../people/people-interface.ts"
import { StoreUnavailableError } from "../../store/database.ts"
import { holdOrSendApprove, isApprove, type SeveralApprovals } from "./hold-or-send-approve.ts"
import { type Attempt, attemptsWith, checkKey, isLostDecision, isSameInput, sentOf } from "./idempotency-keys.ts"
import { type AboutContent, type ApprovalRead, findApproval } from "./recorded-content.ts"
import { inRecord, type RecordOptions } from "../hash-chain.ts"
import type { ApprovalId } from "./held-approves.ts"
import type { HeldApprovesCache } from "./held-approves-cache.ts"
import { aboutOf, intentOf, type Mutation, type MutationAnswer, versionOf } from "./mutation.ts"
import { Outcomes } from "./outcomes.ts"
import { isConfirmed, LEAVES_MS, waitForOutcome } from "./attempt-state.ts"
import { mustLookUpColleagues, colleagueOfNewWork, type Freezable, isFreezable, refuseFrozen } from "./freeze-check.ts"
import { readFreezes } from "../freezes.ts"
import type { IntentRow } from "../record-rows.ts"
import { creationOf, keepOpenCreation } from "../creations.ts"
import {
  approvalsChanged,
  approveInvalid,
  changeNotDeclined,
  recordUnavailable,
  ruleRefusal,
  versionInvalid,
  versionStale,
} from "./gate-refusals.ts"
import { bodyInvalid, itemTooLarge, notFound, versionRequired } from "../../../platform/http/refusals.ts"
import { inBackground } from "../../../platform/background.ts"

/** What happens to a mutation next. */
export type Prepared =
  /** The desk holds an approve until the last one that is needed. The client gets this answer with 202, and nothing is sent. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }
  | {
      readonly kind: "send"
      /** The bytes to send, unchanged. */
      readonly body: Buffer | undefined
      /** Set where a freeze may have begun since: after this time of `performance.now()` nothing may leave the desk. */
      readonly leaveByTicks: number | undefined
      /**
       * Stores the outcome. Call this once, when the upstream has answered or has given no answer in time. Then wait for the promise and
       * answer the client. The promise resolves when the row is stored, or soon when it cannot be stored. It never rejects.
       */
      readonly storeOutcome: (answer: MutationAnswer) => Promise<void>
    }

/** What the service says about the item of a mutation. Each rejects when it cannot be read, and then nothing is sent. */
export type ItemReads = {
  /** Sends listWorkApprovals anew at each call, and gives the body of the answer. */
  readonly approvals: () => Promise<Buffer>
  /** Whether the clarification stands in the list of its Work. */
  readonly isClarificationListed: () => Promise<boolean>
  /** The colleague of the Work. */
  readonly colleague: () => Promise<string>
  /** Whether the item of a decision or answer is known to be so large that nobody can read it at this desk. */
  readonly isTooLarge: () => boolean
}

/** A mutation that may be sent. */
type Ready = {
  readonly body: JsonObject | undefined
  readonly about: AboutContent
  /** Set for an approve when several persons must approve. */
  readonly several?: SeveralApprovals
  /** Undefined: no freeze refuses this. */
  readonly freezable?: Freezable | undefined
}

export class MutationGate {
  readonly #options: RecordOptions
  readonly #held: HeldApprovesCache
  readonly #outcomes: Outcomes

  constructor(options: RecordOptions, held: HeldApprovesCache) {
    this.#options = options
    this.#held = held
    this.#outcomes = new Outcomes(options)
  }

  /**
   * Parses the body, checks that the key belongs to the person, checks on what `reads` reads the version and the rules (of a decision) or the
   * Work (of an answer), and stores the intent.
   * @throws Refused
   */
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
   * Checks a mutation, and begins it in one transaction. Undefined: something else has happened between the two, so everything is checked again.
   *
   * | the transaction finds                  | then                                                                      |
   * | -------------------------------------- | ------------------------------------------------------------------------- |
   * | nothing new                            | the intent is stored, and the mutation is sent                            |
   * | that more approves are needed          | the approve is held                                                       |
   * | a freeze, of colleagues not looked up  | is checked again                                                          |
   * | another decision that is being sent    | waits for its outcome: if recorded, 412; otherwise it is checked again    |
   */
  async #tryToPrepare(session: Session, mutation: Mutation, reads: ItemReads): Promise<Prepared | undefined> {
    const isLocal = this.#options.mode === "local"
    const ready = await (isLocal ? this.#checkLocal(session, mutation, reads) : this.#check(session, mutation, reads))
    const begun = await this.#begin(session, mutation, ready)
    switch (begun.kind) {
      case "send":
      case "held":
        return begun
      case "colleagues unknown":
        return undefined
      case "another is being sent": {
        const outcome = await waitForOutcome(this.#options.database, begun.underWay)
        if (outcome === "recorded") throw new Refused(versionStale)
        return undefined
      }
    }
  }

  /** Whether the rules let the person approve. @throws StoreUnavailableError */
  async mayApprove(session: Session, approval: ApprovalInQuestion): Promise<MayApprove> {
    const { database, access } = this.#options
    const creation = await creationOf(database, approval.workId, session.person.id)
    return checkRules(rulesFor(access(), approval), approverOf(session), creation, access(), Date.now())
  }

  /** Resolves when every outcome row that is on its way is stored, or after a moment. */
  finished(): Promise<void> {
    return this.#outcomes.finished()
  }

  async #check(session: Session, mutation: Mutation, reads: ItemReads): Promise<Ready> {
    const { operation, ifMatch } = mutation
    const needsVersion = operation === "resolveWorkAttention" || operation === "resolveWorkApproval"
    if (needsVersion && versionOf(ifMatch) === undefined) {
      throw new Refused(ifMatch === undefined ? versionRequired : versionInvalid)
    }
    const body = mutation.body && parseBody(mutation.body)
    if (mutation.body !== undefined && body === undefined) throw new Refused(bodyInvalid)
    const attempts = await attemptsWith(this.#options.database, mutation, session.person.id)
    await checkKey(this.#options.database, attempts, session, mutation)
    if (operation === "resolveWorkAttention") return this.#checkAnswer(mutation, body, attempts, reads)
    const sentBefore = sentOf(attempts, mutation)
    // A replay passes without a check of version, rules and freeze: the service gives the answer that it gave before.
    const confirmed = sentBefore.find(({ outcome }) => outcome === "recorded")
    if (operation === "createWork" && confirmed === undefined) return this.#checkNewWork(body)
    if (operation !== "resolveWorkApproval") return { body, about: {} }
    if (confirmed?.intent !== undefined) return { body, about: aboutOf(confirmed.intent) }
    return this.#checkDecision(session, mutation, body, reads, sentBefore)
  }

  /** Local mode checks only what a freeze refuses: else the body passes unchanged, and the record keeps what can be read of the body. */
  async #checkLocal(session: Session, mutation: Mutation, reads: ItemReads): Promise<Ready> {
    const body = mutation.body && parseObject(mutation.body.toString("utf8"))
    const ready: Ready = { body, about: {} }
    const isAnswer = mutation.operation === "resolveWorkAttention"
    if ((isAnswer || isFreezable(mutation, body)) && reads.isTooLarge()) throw new Refused(itemTooLarge)
    if (!isFreezable(mutation, body)) return ready
    const { database } = this.#options
    const sentBefore = sentOf(await attemptsWith(database, mutation, session.person.id), mutation)
    if (sentBefore.some(({ outcome }) => outcome === "recorded")) return ready
    if (mutation.operation === "createWork") return this.#checkNewWork(body)
    if ((await readFreezes(database)).length === 0) return { ...ready, freezable: "unknown" }
    const { approval, isLost } = await this.#findDecided(mutation, reads, sentBefore)
    return { ...ready, freezable: await this.#checkFreeze(approval, isLost, reads) }
  }

  /** The approval of a decision, as the service lists it. `isLost`: see `isLostDecision`. @throws Refused when there is neither */
  async #findDecided(
    { workId = "", itemId = "", ifMatch }: Mutation,
    reads: ItemReads,
    sentBefore: readonly Attempt[],
  ): Promise<{ readonly approval: ApprovalRead | undefined; readonly isLost: boolean }> {
    const approval = findApproval(await reads.approvals(), workId, itemId)
    const isLost = isLostDecision(sentBefore, approval, versionOf(ifMatch))
    if (approval === undefined && !isLost) throw new Refused(notFound)
    return { approval, isLost }
  }

  async #checkNewWork(body: JsonObject | undefined): Promise<Ready> {
    const freezable = colleagueOfNewWork(body, await readFreezes(this.#options.database))
    return { body, about: {}, freezable }
  }

  /**
   * Checks that no freeze refuses an approve. Gives the colleagues whose freeze would refuse it, for the transaction that checks again. Undefined:
   * the answer to this approve was lost and the approval is no longer pending, so the service only repeats its answer, which no freeze refuses.
   * @throws Refused
   */
  async #checkFreeze(
    approval: ApprovalRead | undefined,
    isLost: boolean,
    reads: ItemReads,
  ): Promise<Freezable | undefined> {
    const isAnsweredAgain = approval === undefined || (isLost && !approval.isPending)
    if (isAnsweredAgain) return undefined
    const freezes = await readFreezes(this.#options.database)
    if (freezes.length === 0) return "unknown"
    // The approval's own colleague first, because the other one costs a read of the service.
    refuseFrozen(freezes, [approval.colleague])
    const colleagues = [approval.colleague, await reads.colleague()]
    refuseFrozen(freezes, colleagues)
    return colleagues
  }

  /**
   * Checks that a clarification belongs to the Work of the address, because the service may look at its id alone. What was sent before, or was
   * answered at this desk, has passed this check, and may stand in no list any more.
   */
  async #checkAnswer(
    mutation: Mutation,
    body: JsonObject | undefined,
    attempts: readonly Attempt[],
    reads: ItemReads,
  ): Promise<Ready> {
    const { operation, workId = "", itemId = "" } = mutation
    const isOwn =
      attempts.some((attempt) => isSameInput(attempt, mutation)) ||
      (await isConfirmed(this.#options.database, operation, workId, itemId)) ||
      (await reads.isClarificationListed())
    if (!isOwn) throw new Refused(notFound)
    if (reads.isTooLarge()) throw new Refused(itemTooLarge)
    return { body, about: {} }
  }

  /** Checks a decision on the approval that the service lists. `sentBefore` are the earlier attempts with the same input. */
  async #checkDecision(
    session: Session,
    mutation: Mutation,
    body: JsonObject | undefined,
    reads: ItemReads,
    sentBefore: readonly Attempt[],
  ): Promise<Ready> {
    const { workId = "", itemId = "" } = mutation
    const { approval, isLost } = await this.#findDecided(mutation, reads, sentBefore)
    const mayApprove = isFreezable(mutation, body)
    const freezable = mayApprove ? await this.#checkFreeze(approval, isLost, reads) : undefined
    if (approval === undefined || isLost) return { body, about: aboutOf(sentBefore[0]?.intent), freezable }
    if (approval.version !== versionOf(mutation.ifMatch)) throw new Refused(versionStale)
    const ready: Ready = { body, about: approval.about, freezable }
    if (!mayApprove) return ready
    if (approval.isTooLarge) throw new Refused(itemTooLarge)
    return this.#checkApprove(session, { workId, approvalId: itemId }, approval, ready)
  }

  async #checkApprove(session: Session, item: ApprovalId, approval: ApprovalRead, ready: Ready): Promise<Ready> {
    const { destination, colleague, isPending, version, about } = approval
    const may = await this.mayApprove(session, { workId: item.workId, destination, colleague })
    if (!may.approve) throw new Refused(ruleRefusal(may.code, may.detail))
    const needed = approvalsNeeded(rulesFor(this.#options.access(), approval))
    if (needed === 1) return ready
    if (!isPending) throw new Refused(versionStale)
    if (!isApprove(ready.body)) throw new Refused(approveInvalid)
    const content = { version: String(version), contentHash: () => about.content_hash ?? "", asked: approval }
    return { ...ready, several: { needed, item, content } }
  }

  /** Runs the transaction of the intent. Gives what to send, or what else the transaction has found (`#tryToPrepare`). */
  async #begin(session: Session, mutation: Mutation, ready: Ready) {
    const intent = intentOf(session, mutation, ready.body, ready.about)
    if (mutation.wantsChange === true && intent.decision !== "decline") throw new Refused(changeNotDeclined)
    const begun = await this.#storeIntent(session, mutation, intent, ready).catch((error: unknown) => {
      if (error instanceof Refused) throw error
      // Nothing is sent. But if only the answer to the COMMIT was lost, there is a row, which would look as if the service may have the mutation.
      this.#outcomes.settleUnsent({ session, mutation, intent })
      if (error instanceof StoreUnavailableError) throw error
      throw new StoreUnavailableError("no row", "refused", { cause: error })
    })
    if (begun.kind === "held") await this.#held.changed()
    if (begun.kind !== "stored") return begun
    const { sequence, leaveByTicks } = begun
    return {
      kind: "send" as const,
      body: mutation.body,
      leaveByTicks,
      storeOutcome: async (answer: MutationAnswer) => {
        await this.#outcomes.store({ session, mutation, intent, sequence }, answer)
        if (mutation.operation === "resolveWorkApproval") inBackground(() => this.#held.changed())
      },
    }
  }

  /**
   * Stores the intent in one transaction, which checks session, role and key again: two persons may send the same key at once. With several approvals,
   * the same transaction decides whether this approve is the last one.
   */
  #storeIntent(session: Session, mutation: Mutation, intent: IntentRow, { several, freezable }: Ready) {
    const { mode, access, checkSession } = this.#options
    return inRecord(this.#options, async (transaction) => {
      // Since the request began the service was read, and a minute may have passed.
      await checkSession?.(transaction, session, mutation.operation)
      const attempts = await attemptsWith(transaction, mutation, session.person.id)
      if (mode !== "local") await checkKey(transaction, attempts, session, mutation)
      if (await mustLookUpColleagues(transaction, freezable)) return { kind: "colleagues unknown" as const }
      if (several !== undefined) {
        const approve = { ...several, session, mutation, intent, attempts }
        const next = await holdOrSendApprove(transaction, approve, access())
        if (next.kind !== "send") return next
      }
      if (mutation.mustHold === true) throw new Refused(approvalsChanged)
      const row = await transaction.append(intent)
      const isReplay = attempts.some(({ outcome }) => outcome === "recorded")
      if (!isReplay) await keepOpenCreation(transaction, row)
      // Taken before the row can be read, so that a freeze that reads it answers later than this.
      const leaveByTicks = freezable && performance.now() + LEAVES_MS
      return { kind: "stored" as const, sequence: row.sequence, leaveByTicks }
    })
  }
}
