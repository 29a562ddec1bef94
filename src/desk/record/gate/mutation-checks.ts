/**
 * The checks of a mutation before the transaction that stores its intent. With sign-in, every mutation must also have a valid `If-Match` (if it needs
 * one), a valid body, and an Idempotency-Key that the person may use. The other checks:
 *
 * | mutation                                  | with sign-in                                    | in local mode                |
 * | ----------------------------------------- | ----------------------------------------------- | ---------------------------- |
 * | new Work                                  | freeze                                          | freeze                       |
 * | an answer                                 | the Work has the clarification; size            | size                         |
 * | a decline                                 | version                                         | none                         |
 * | any other decision                        | freeze, version, size, rules                    | size, freeze                 |
 * | any other decision, whose answer was lost | freeze, if pending again in another version     | size; freeze, if pending again |
 * | a request that the service has confirmed  | size, for an answer                             | size                         |
 */
import { approverOf, checkRules } from "../../people/rules/rule-words.ts"
import { type ApprovalInQuestion, approvalsNeeded, type AskedApproval, rulesFor } from "../../people/rules/rules.ts"
import type { MayApprove } from "../../../contract/desk-work.ts"
import { type JsonObject, parseBody, parseObject } from "../../../platform/http/json-object.ts"
import { bodyInvalid, itemTooLarge, notFound, versionRequired } from "../../../platform/http/refusals.ts"
import { Refused } from "../../../platform/http/send.ts"
import type { Session } from "../../people/people-interface.ts"
import type { Reader } from "../../store/database.ts"
import { creationOf } from "../creations.ts"
import { readFreezes } from "../freezes.ts"
import type { RecordOptions } from "../hash-chain.ts"
import { isConfirmed } from "./attempt-state.ts"
import {
  affectedByNewWork,
  type AffectedColleagues,
  isFreezable,
  mayCountAsApprove,
  refuseFrozen,
} from "./freeze-check.ts"
import { approveInvalid, ruleRefusal, versionInvalid, versionStale } from "./gate-refusals.ts"
import { isApprove, type SeveralApprovals } from "./hold-or-send-approve.ts"
import { type Attempt, attemptsWith, checkKey, isLostDecision, isSameInput, sentOf } from "./idempotency-keys.ts"
import { contentOfAttempt, type IntentContent, type Mutation, versionOf } from "./mutation.ts"
import { type ApprovalRead, findApproval } from "./recorded-content.ts"

/** Reads what the service says about the item of a mutation. Each rejects if the item can't be read, and then nothing is sent. */
export type ItemReads = {
  /** Sends listWorkApprovals at each call, and resolves with the body of the answer. */
  readonly approvals: () => Promise<Buffer>
  /** Whether the clarification is in the list of its Work. */
  readonly isClarificationListed: () => Promise<boolean>
  /** The colleague of the Work. */
  readonly colleague: () => Promise<string>
  /** The same without a read. Undefined when the desk doesn't know the Work. */
  readonly knownColleague: () => string | undefined
  /** Whether the item of a decision or answer is known to be so large that nobody can read it at this desk. */
  readonly isTooLarge: () => boolean
}

/** A mutation that passed the checks, with what the transaction of its intent needs. */
export type CheckedMutation = {
  readonly body: JsonObject | undefined
  readonly about: IntentContent
  /** Set for a decision that the service has not had before: the transaction stores the patterns of the rules that match. */
  readonly asked?: AskedApproval
  /** Set for an approve whose rules were checked: the transaction checks them again, with the groups of the person's last sign-in. */
  readonly approval?: ApprovalInQuestion
  /** Set for an approve when several people must approve. */
  readonly several?: SeveralApprovals
  /** The colleagues whose freeze refuses the mutation. Undefined: no freeze can refuse it. */
  readonly affected?: AffectedColleagues | undefined
}

export class MutationChecks {
  readonly #options: RecordOptions

  constructor(options: RecordOptions) {
    this.#options = options
  }

  /** @throws Refused @throws StoreUnavailableError */
  check(session: Session, mutation: Mutation, reads: ItemReads): Promise<CheckedMutation> {
    return this.#options.mode === "local"
      ? this.#checkLocal(session, mutation, reads)
      : this.#checkWithSignIn(session, mutation, reads)
  }

  /** Whether the rules let the person approve. `store` can be a transaction. @throws StoreUnavailableError */
  async mayApprove(
    session: Session,
    approval: ApprovalInQuestion,
    store: Reader = this.#options.database,
  ): Promise<MayApprove> {
    const { access } = this.#options
    const creation = await creationOf(store, approval.workId, session.person.id)
    return checkRules(rulesFor(access(), approval), approverOf(session), creation, access(), Date.now())
  }

  /** @throws Refused if a rule doesn't let the person approve @throws StoreUnavailableError */
  async checkRules(session: Session, approval: ApprovalInQuestion, store?: Reader): Promise<void> {
    const may = await this.mayApprove(session, approval, store)
    if (!may.approve) throw new Refused(ruleRefusal(may.code, may.detail))
  }

  async #checkWithSignIn(session: Session, mutation: Mutation, reads: ItemReads): Promise<CheckedMutation> {
    const { operation, ifMatch } = mutation
    const needsVersion = operation === "resolveWorkAttention" || operation === "resolveWorkApproval"
    if (needsVersion && versionOf(ifMatch) === undefined) {
      throw new Refused(ifMatch === undefined ? versionRequired : versionInvalid)
    }
    const body = mutation.body && parseBody(mutation.body)
    if (mutation.body !== undefined && body === undefined) throw new Refused(bodyInvalid)
    const { database } = this.#options
    const attempts = await attemptsWith(database, mutation, session.person.id)
    await checkKey(database, attempts, session, mutation)
    if (operation === "resolveWorkAttention") return this.#checkAnswer(mutation, body, attempts, reads)
    const sentBefore = sentOf(attempts, mutation)
    // The service answers a request that it has confirmed as a replay, so nothing else is checked.
    const confirmed = findConfirmed(sentBefore)
    if (operation === "resolveWorkApproval") {
      if (confirmed !== undefined) return { body, about: contentOfAttempt(confirmed.intent) }
      return this.#checkDecision({ session, mutation, body, reads, sentBefore })
    }
    if (operation === "createWork" && confirmed === undefined) return this.#checkNewWork(body)
    return { body, about: {} }
  }

  /** The body passes unchanged, even if it isn't JSON. The record keeps what can be read of it. */
  async #checkLocal(session: Session, mutation: Mutation, reads: ItemReads): Promise<CheckedMutation> {
    const body = mutation.body && parseObject(mutation.body.toString("utf8"))
    const canBeFrozen = isFreezable(mutation, body)
    const isAnswer = mutation.operation === "resolveWorkAttention"
    const about: IntentContent = {
      ...(isAnswer && { colleague: reads.knownColleague() }),
      // A desk in local mode has no rules.
      ...(mutation.operation === "resolveWorkApproval" && { rules: [] }),
    }
    const checked: CheckedMutation = { body, about }
    if ((isAnswer || canBeFrozen) && reads.isTooLarge()) throw new Refused(itemTooLarge)
    if (!canBeFrozen) return checked
    const { database } = this.#options
    const sentBefore = sentOf(await attemptsWith(database, mutation, session.person.id), mutation)
    if (findConfirmed(sentBefore) !== undefined) return checked
    if (mutation.operation === "createWork") return this.#checkNewWork(body)
    // Without a freeze, nothing is read from the service.
    if ((await readFreezes(database)).length === 0) return { ...checked, affected: "not looked up" }
    const decided = await findDecided({ mutation, reads, sentBefore })
    return { ...checked, affected: await this.#checkFreeze(decided, reads) }
  }

  async #checkNewWork(body: JsonObject | undefined): Promise<CheckedMutation> {
    return { body, about: {}, affected: affectedByNewWork(body, await readFreezes(this.#options.database)) }
  }

  /**
   * Checks that the Work in the address has the clarification, because the service may look only at the id of the clarification. An answer that was
   * sent before, or confirmed at this desk, has passed this check, and the clarification may have left the list since.
   */
  async #checkAnswer(
    mutation: Mutation,
    body: JsonObject | undefined,
    attempts: readonly Attempt[],
    reads: ItemReads,
  ): Promise<CheckedMutation> {
    const { operation, workId = "", itemId = "" } = mutation
    const belongsToWork =
      attempts.some((attempt) => isSameInput(attempt, mutation)) ||
      (await isConfirmed(this.#options.database, operation, workId, itemId)) ||
      (await reads.isClarificationListed())
    if (!belongsToWork) throw new Refused(notFound)
    if (reads.isTooLarge()) throw new Refused(itemTooLarge)
    return { body, about: { colleague: reads.knownColleague() } }
  }

  /** Checks a decision against the approval as the service lists it. */
  async #checkDecision(decision: Decision): Promise<CheckedMutation> {
    const { mutation, body, reads, sentBefore } = decision
    const decided = await findDecided(decision)
    const countsAsApprove = mayCountAsApprove(body)
    const affected = countsAsApprove ? await this.#checkFreeze(decided, reads) : undefined
    if (decided.isAnswerLost) return { body, about: contentOfAttempt(sentBefore[0]?.intent), affected }
    const { approval } = decided
    if (approval.version !== versionOf(mutation.ifMatch)) throw new Refused(versionStale)
    const checked: CheckedMutation = { body, about: approval.about, asked: approval, affected }
    if (!countsAsApprove) return checked
    if (approval.isTooLarge) throw new Refused(itemTooLarge)
    return { ...checked, ...(await this.#checkApprove(decision, approval)) }
  }

  /**
   * Checks that no freeze refuses an approve. @returns the colleagues, for the check in the transaction. Undefined: the answer was lost and the
   * approval isn't pending, so the service only repeats its answer, which no freeze refuses. @throws Refused
   */
  async #checkFreeze({ approval, isAnswerLost }: Decided, reads: ItemReads): Promise<AffectedColleagues | undefined> {
    if (approval === undefined || (isAnswerLost && !approval.isPending)) return undefined
    const freezes = await readFreezes(this.#options.database)
    if (freezes.length === 0) return "not looked up"
    // The approval's own colleague first, because reading the Work's colleague takes a request to the service.
    refuseFrozen(freezes, [approval.colleague])
    const colleagues = [approval.colleague, await reads.colleague()]
    refuseFrozen(freezes, colleagues)
    return colleagues
  }

  /** Checks the rules of an approve. @returns what the transaction needs to know of the approval @throws Refused */
  async #checkApprove(
    { session, mutation, body }: Decision,
    asked: ApprovalRead,
  ): Promise<Pick<CheckedMutation, "approval" | "several">> {
    const { workId = "", itemId: approvalId = "" } = mutation
    const { destination, colleague, isPending, version, about } = asked
    const approval = { workId, destination, colleague }
    await this.checkRules(session, approval)
    const needed = approvalsNeeded(rulesFor(this.#options.access(), approval))
    if (needed === 1) return { approval }
    if (!isPending) throw new Refused(versionStale)
    if (!isApprove(body)) throw new Refused(approveInvalid)
    const content = { version: String(version), contentHash: () => about.content_hash ?? "", asked }
    return { approval, several: { needed, item: { workId, approvalId }, content } }
  }
}

/** A decision that is being checked. */
type Decision = {
  readonly session: Session
  readonly mutation: Mutation
  readonly body: JsonObject | undefined
  readonly reads: ItemReads
  /** The earlier attempts with the same input. */
  readonly sentBefore: readonly Attempt[]
}

/** The approval of a decision, as the service lists it. `isAnswerLost`: the answer to the same decision was lost (`isLostDecision`). */
type Decided =
  | { readonly isAnswerLost: false; readonly approval: ApprovalRead }
  | { readonly isAnswerLost: true; readonly approval: ApprovalRead | undefined }

/** @throws Refused when the approval is not listed and no answer was lost */
async function findDecided({
  mutation: { workId = "", itemId = "", ifMatch },
  reads,
  sentBefore,
}: Pick<Decision, "mutation" | "reads" | "sentBefore">): Promise<Decided> {
  const approval = findApproval(await reads.approvals(), workId, itemId)
  if (isLostDecision(sentBefore, approval, versionOf(ifMatch))) return { isAnswerLost: true, approval }
  if (approval === undefined) throw new Refused(notFound)
  return { isAnswerLost: false, approval }
}

/** The attempt that the service confirmed. */
const findConfirmed = (sentBefore: readonly Attempt[]) => sentBefore.find(({ outcome }) => outcome === "recorded")
