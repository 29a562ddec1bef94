/**
 * The gate of a mutation. Before the mutation is sent: the checks of key, version and rules, and the intent row. After the answer: the outcome
 * row. `mutations.ts` of the proxy asks the gate both times. `docs/architecture.md` has the states of an attempt as a table.
 */
import { approverOf, checkRules } from "../../people/rules/rule-words.ts"
import { type ApprovalInQuestion, approvalsNeeded, rulesFor } from "../../people/rules/rules.ts"
import type { ApproveHeld, MayApprove } from "../../contract/desk-work.ts"
import { type JsonObject, parseBody, parseObject } from "../../http/json-object.ts"
import { Refused } from "../../http/send.ts"
import type { Session } from "../../people/people.ts"
import { StoreUnavailableError } from "../../store/database.ts"
import { holdOrSendApprove, isApprove, type SeveralApprovals } from "./hold-or-send-approve.ts"
import { type Attempt, attemptsWith, checkKey, isSameInput } from "./idempotency-keys.ts"
import { type AboutContent, type ApprovalRead, findApproval } from "./recorded-content.ts"
import { inRecord, type RecordOptions } from "../hash-chain.ts"
import type { ApprovalId } from "./held-approves.ts"
import type { HeldApprovesCache } from "./held-approves-cache.ts"
import { aboutOf, intentOf, keyHashOf, type Mutation, type MutationAnswer, versionOf } from "./mutation.ts"
import { Outcomes } from "./outcomes.ts"
import { isConfirmed, outcomeOf } from "./attempt-state.ts"
import type { IntentRow } from "../rows.ts"
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
import { bodyInvalid, notFound, upstreamInvalid, versionRequired } from "../../http/refusals.ts"

/** What happens to a mutation next. */
export type Prepared =
  /** The desk holds an approve until the last one that is needed. The client gets this answer with 202, and nothing is sent. */
  | { readonly kind: "held"; readonly answer: ApproveHeld }
  | {
      readonly kind: "send"
      /** The bytes to send, unchanged. */
      readonly body: Buffer | undefined
      /**
       * Stores the outcome. Call this once, when the upstream has answered or has given no answer in time. Then wait for the promise and
       * answer the client. The promise resolves when the row is stored, or soon when it cannot be stored. It never rejects.
       */
      readonly storeOutcome: (answer: MutationAnswer) => Promise<void>
    }

/** What the service says about the item of a mutation. Both reject when the list cannot be read, and then nothing is sent. */
export type ItemReads = {
  /** Sends listWorkApprovals anew at each call, and gives the body of the answer. */
  readonly approvals: () => Promise<Buffer>
  /** Whether the clarification stands in the list of its Work. */
  readonly isClarificationListed: () => Promise<boolean>
}

/** A mutation that may be sent. */
type Ready = {
  readonly body: JsonObject | undefined
  readonly about: AboutContent
  /** Set for an approve when several persons must approve. */
  readonly several?: SeveralApprovals
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
      for (;;) {
        const isLocal = this.#options.mode === "local"
        const next = isLocal ? readyUnchecked(mutation) : await this.#check(session, mutation, reads)
        const begun = await this.#begin(session, mutation, next)
        if (begun.kind !== "another is being sent") return begun
        // A decision is being sent. Unless the service records it, this approve is checked again and may become the last.
        const outcome = await outcomeOf(this.#options.database, begun.underWay)
        if (outcome === "recorded") throw new Refused(versionStale)
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      this.#options.onFailed(error)
      throw new Refused({ ...recordUnavailable, cause: error.logCause })
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
    const attempts = await attemptsWith(this.#options.database, keyHashOf(mutation))
    await checkKey(this.#options.database, attempts, session, mutation)
    if (operation === "resolveWorkAttention") return this.#checkAnswer(mutation, body, attempts, reads)
    if (operation !== "resolveWorkApproval") return { body, about: {} }
    // An approve that the desk holds was never sent.
    const sentBefore = attempts.filter((attempt) => isSameInput(attempt, mutation) && attempt.outcome !== "held")
    // A replay passes without a check of version and rules: the service gives the answer that it gave before.
    const confirmed = sentBefore.find(({ outcome }) => outcome === "recorded")
    if (confirmed?.intent !== undefined) return { body, about: aboutOf(confirmed.intent) }
    return this.#checkDecision(session, mutation, body, await reads.approvals(), sentBefore)
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
    return { body, about: {} }
  }

  /** Checks a decision on the approval that `approvals` has. `sentBefore` are the earlier attempts with the same input. */
  async #checkDecision(
    session: Session,
    { workId = "", itemId = "", ifMatch }: Mutation,
    body: JsonObject | undefined,
    approvals: Buffer,
    sentBefore: readonly Attempt[],
  ): Promise<Ready> {
    const version = versionOf(ifMatch)
    const approval = findApproval(approvals, workId, itemId)
    if (approval === "invalid") throw new Refused(upstreamInvalid)
    const outcomes = sentBefore.map(({ outcome }) => outcome)
    if (isLostDecision(outcomes, approval, version)) {
      return { body, about: aboutOf(sentBefore[0]?.intent) }
    }
    if (approval === undefined) throw new Refused(notFound)
    if (approval.version !== version) throw new Refused(versionStale)
    const ready: Ready = { body, about: approval.about }
    // Only exactly `decline` skips the rules: a lenient upstream could read any other text as an approval.
    if (body?.["decision"] === "decline") return ready
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

  /** Stores the intent and gives what to send; or, with several approvals, holds the approve or finds that another one is being sent. */
  async #begin(session: Session, mutation: Mutation, { body, about, several }: Ready) {
    const intent = intentOf(session, mutation, body, about)
    if (mutation.wantsChange === true && intent.decision !== "decline") throw new Refused(changeNotDeclined)
    const begun = await this.#storeIntent(session, mutation, intent, several).catch((error: unknown) => {
      // After any error the row may be missing, and without a row nothing is sent.
      if (error instanceof Refused || error instanceof StoreUnavailableError) throw error
      throw new StoreUnavailableError("no row", "refused", { cause: error })
    })
    if (begun.kind === "held") await this.#held.changed()
    if (begun.kind !== "stored") return begun
    const { sequence } = begun
    return {
      kind: "send" as const,
      body: mutation.body,
      storeOutcome: async (answer: MutationAnswer) => {
        await this.#outcomes.store({ session, mutation, intent, sequence }, answer)
        if (mutation.operation === "resolveWorkApproval") void this.#held.changed()
      },
    }
  }

  /**
   * Stores the intent in one transaction, which checks the key again, because two persons may send the same key at once. With several approvals,
   * the same transaction decides whether this approve is the last one.
   */
  #storeIntent(session: Session, mutation: Mutation, intent: IntentRow, several: SeveralApprovals | undefined) {
    const { mode, access } = this.#options
    return inRecord(this.#options, async (transaction) => {
      const attempts = await attemptsWith(transaction, intent.key_hash)
      if (mode !== "local") await checkKey(transaction, attempts, session, mutation)
      if (several !== undefined) {
        const approve = { ...several, session, mutation, intent, attempts }
        const next = await holdOrSendApprove(transaction, approve, access())
        if (next.kind !== "send") return next
      }
      if (mutation.mustHold === true) throw new Refused(approvalsChanged)
      const row = await transaction.append(intent)
      const isReplay = attempts.some(({ outcome }) => outcome === "recorded")
      if (!isReplay) await keepOpenCreation(transaction, row)
      return { kind: "stored" as const, sequence: row.sequence }
    })
  }
}

/**
 * Whether a decision is sent again without the checks, to learn what became of it. Every earlier attempt with the same input must have an unknown
 * outcome (`outcomes`), and the approval must not be pending in the version of `If-Match`. An undefined approval is not listed any more.
 */
export function isLostDecision(
  outcomes: readonly string[],
  approval: Pick<ApprovalRead, "isPending" | "version"> | undefined,
  version: bigint | undefined,
): boolean {
  const isUndecided = approval?.isPending === true && approval.version === version
  return outcomes.length > 0 && outcomes.every((outcome) => outcome === "unknown") && !isUndecided
}

/** Local mode checks nothing: the body passes unchanged, and the record keeps what can be read of the body. */
function readyUnchecked({ body }: Mutation): Ready {
  return { body: body && parseObject(body.toString("utf8")), about: {} }
}
