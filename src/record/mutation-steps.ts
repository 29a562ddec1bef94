/**
 * The record's part of a mutation. Before the mutation is sent: the checks of key, version and rules, and the intent row. After the answer: the
 * outcome row. `mutations.ts` of the proxy calls both.
 */
import { hash } from "node:crypto"
import { parseInt64 } from "../contract/int64.ts"
import type { ApprovalInQuestion } from "../contract/approvals.ts"
import type { MayApprove } from "../contract/desk.ts"
import type { Refusal } from "../contract/refusal.ts"
import type { Access } from "../people/access.ts"
import type { Session } from "../people/people.ts"
import { notFound } from "../people/refusals.ts"
import { checkRules, needsCreator, rulesFor } from "../people/rules/rules.ts"
import { type Database, type Statements, StoreUnavailableError } from "../store/database.ts"
import { type JsonObject, parseObject, parseBody } from "../contract/json-object.ts"
import { namedHash } from "./canonical-json.ts"
import { append } from "./hash-chain.ts"
import { type AboutContent, type ApprovalRead, findApproval, readAnswer, readRequest } from "./content.ts"
import type { ApprovalsRead, Mutation, MutationAnswer, Prepared } from "./desk-record.ts"
import { type Attempt, type AttemptedIntent, attemptsWith, creationOf, isOutcomeUnknown } from "./look-up.ts"
import { keepOpenCreation, settleCreation } from "./open-creations.ts"
import {
  approvalsInvalid,
  bodyInvalid,
  keyOfAnother,
  recordUnavailable,
  ruleRefusal,
  versionInvalid,
  versionRequired,
  versionStale,
} from "./refusals.ts"
import type { AppendedRow, IntentRow, OutcomeRow } from "./rows.ts"
import { keepDeed } from "./work-people.ts"

/** How long an answer waits for its outcome row. */
const OUTCOME_WAIT_MS = 300

export type MutationOptions = {
  readonly database: Database
  readonly mode: "local" | "sign-in"
  readonly access: () => Access
  /** Called with the rows of each append, and the time until they were on the disk. */
  readonly onStored: (rows: readonly AppendedRow[], milliseconds: number) => void
  /** Called with the error when rows could not be stored or read. */
  readonly onFailed: (error: unknown) => void
}

/** A mutation that may be sent. */
type Ready = { readonly kind: "ready"; readonly body: JsonObject | undefined; readonly about: AboutContent }

type Stopped = Exclude<Prepared<never>, { readonly kind: "send" }>

export class MutationSteps {
  readonly #options: MutationOptions
  readonly #storing = new Set<Promise<void>>()

  constructor(options: MutationOptions) {
    this.#options = options
  }

  /** See `DeskRecord.prepare`. */
  async prepare<Failure>(
    session: Session,
    mutation: Mutation,
    readApprovals: () => Promise<ApprovalsRead<Failure>>,
  ): Promise<Prepared<Failure>> {
    try {
      const next =
        this.#options.mode === "local" ? readyUnchecked(mutation) : await this.#check(session, mutation, readApprovals)
      return next.kind === "ready" ? await this.#begin(session, mutation, next) : next
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      this.#options.onFailed(error)
      return refused({ ...recordUnavailable, cause: error.reason })
    }
  }

  /** See `DeskRecord.mayApprove`. */
  async mayApprove(session: Session, approval: ApprovalInQuestion): Promise<MayApprove> {
    const { database, access } = this.#options
    const rules = rulesFor(access(), approval)
    const creation = needsCreator(rules)
      ? await creationOf(database, approval.workId, session.person.id)
      : { creators: [], mayHaveLostCreation: false }
    return checkRules(rules, session, creation, access(), Date.now())
  }

  /** Resolves when every outcome row that is on its way is stored, or cannot be stored. */
  async finished(): Promise<void> {
    await Promise.all(this.#storing)
  }

  async #check<Failure>(
    session: Session,
    mutation: Mutation,
    readApprovals: () => Promise<ApprovalsRead<Failure>>,
  ): Promise<Ready | Stopped | { readonly kind: "failed"; readonly answer: Failure }> {
    const { operation, ifMatch } = mutation
    const version = versionOf(ifMatch)
    if (operation === "resolveWorkAttention" || operation === "resolveWorkApproval") {
      if (version === undefined) return refused(ifMatch === undefined ? versionRequired : versionInvalid)
    }
    const body = mutation.body && parseBody(mutation.body)
    if (mutation.body !== undefined && body === undefined) return refused(bodyInvalid)
    const attempts = await attemptsWith(this.#options.database, keyHashOf(mutation))
    if (attempts.some(({ personId }) => personId !== session.person.id)) return refused(keyOfAnother)
    if (operation !== "resolveWorkApproval") return { kind: "ready", body, about: {} }
    const same = attempts.filter((attempt) => isSameInput(attempt, mutation))
    // A replay passes without a check of version and rules: the service answers it from what it has recorded.
    const recorded = same.find(({ outcome }) => outcome === "recorded")
    if (recorded?.intent !== undefined) return { kind: "ready", body, about: aboutOf(recorded.intent) }
    const read = await readApprovals()
    if (read.kind === "failed") return read
    const approval = findApproval(read.body, mutation.workId ?? "", mutation.itemId ?? "")
    if (approval === "invalid") return refused(approvalsInvalid)
    // While the approval is pending in the version of If-Match, no earlier attempt had an effect. So this one needs all checks.
    const isUndecided = approval?.isPending === true && approval.version === version
    const [lost] = same.every(({ outcome }) => outcome === "unknown") ? same : []
    if (lost?.intent !== undefined && !isUndecided) return { kind: "ready", body, about: aboutOf(lost.intent) }
    if (approval === undefined) return refused(notFound)
    if (approval.version !== version) return refused(versionStale)
    // Only exactly `decline` skips the rules: a lenient upstream could read any other text as an approval.
    const refusal = body?.["decision"] === "decline" ? undefined : await this.#applyRules(session, mutation, approval)
    return refusal === undefined ? { kind: "ready", body, about: approval.about } : refused(refusal)
  }

  async #applyRules(session: Session, { workId = "" }: Mutation, approval: ApprovalRead): Promise<Refusal | undefined> {
    const { destination, colleague } = approval
    const may = await this.mayApprove(session, { workId, destination, colleague })
    return may.approve ? undefined : ruleRefusal(may.code, may.detail)
  }

  /** Stores the intent. Looks the key up again within the lock, because two persons may send the same key at once. */
  async #begin(session: Session, mutation: Mutation, { body, about }: Ready): Promise<Prepared<never>> {
    const intent = intentOf(session, mutation, body, about)
    const storing = this.#store(async (statements) => {
      const attempts = await attemptsWith(statements, intent.key_hash)
      const isOfAnother = attempts.some(({ personId }) => personId !== session.person.id)
      if (this.#options.mode === "sign-in" && isOfAnother) return []
      const rows = await append(statements, [intent])
      const wasRecorded = attempts.some(({ outcome }) => outcome === "recorded")
      if (!wasRecorded) for (const row of rows) await keepOpenCreation(statements, row)
      return rows
    })
    // Any error means that there is no row, and without a row nothing is sent.
    const [row] = await storing.catch((error: unknown) => {
      throw error instanceof StoreUnavailableError
        ? error
        : new StoreUnavailableError("no row", "refused", { cause: error })
    })
    if (row === undefined) return refused(keyOfAnother)
    const storeOutcome = (answer: MutationAnswer) => this.#storeOutcome(session, mutation, intent, row.sequence, answer)
    return { kind: "send", body: mutation.body, storeOutcome }
  }

  /**
   * Stores the outcome. When the service says that the answer is a replay, every earlier attempt with the same input and an unknown outcome
   * gets this outcome, too.
   */
  #storeOutcome(
    session: Session,
    mutation: Mutation,
    intent: IntentRow,
    sequence: number,
    answer: MutationAnswer,
  ): Promise<void> {
    const outcome = outcomeOf(mutation, answer)
    const storing = this.#store(async (statements) => {
      // The answer to a later attempt with the same key may have given this intent its outcome.
      if (outcome.outcome !== "recorded" && !(await isOutcomeUnknown(statements, sequence))) return []
      const attempts = outcome.replayed === true ? await attemptsWith(statements, intent.key_hash) : []
      const unknown = attempts.filter(
        (attempt) =>
          attempt.sequence !== sequence &&
          attempt.personId === intent.person &&
          attempt.outcome === "unknown" &&
          isSameInput(attempt, mutation),
      )
      // `replayed` is true of this answer alone. The service recorded one of the earlier attempts.
      const { replayed: _replayed, ...original } = outcome
      const earlier = unknown.map((attempt) => ({ ...original, intent: attempt.sequence }))
      await keepDeed(statements, session, this.#options.access(), intent, outcome)
      await settleCreation(statements, intent, sequence, outcome)
      return append(statements, [{ ...outcome, intent: sequence }, ...earlier])
    }).then(() => undefined, this.#options.onFailed)
    this.#storing.add(storing)
    void storing.finally(() => this.#storing.delete(storing))
    return within(OUTCOME_WAIT_MS, storing)
  }

  /** Runs `work` in a transaction of the record. Gives the rows that `work` has appended. */
  async #store(work: (statements: Statements) => Promise<readonly AppendedRow[]>): Promise<readonly AppendedRow[]> {
    const began = performance.now()
    const rows = await this.#options.database.transaction("record", work)
    if (rows.length > 0) this.#options.onStored(rows, performance.now() - began)
    return rows
  }
}

const refused = (refusal: Refusal): Stopped => ({ kind: "refused", refusal })

/** Local mode checks nothing: the body passes unchanged, and the record keeps what can be read of the body. */
function readyUnchecked({ body }: Mutation): Ready {
  return { kind: "ready", body: body && parseObject(body.toString("utf8")), about: {} }
}

/** Reads the version from `If-Match`, which must be one strong ETag: an int64 in quotes. */
function versionOf(ifMatch: string | undefined): bigint | undefined {
  const [, digits] = /^"(\d+)"$/.exec(ifMatch?.trim() ?? "") ?? []
  return digits === undefined ? undefined : parseInt64(digits)
}

/** The record keeps the hash of a key, because a client may have used a secret as its key. */
const keyHashOf = ({ idempotencyKey }: Mutation) => hash("sha256", `Idempotency-Key: ${idempotencyKey}`)

const inputHashOf = ({ target, ifMatch = "", body }: Mutation) =>
  hash("sha256", JSON.stringify([target, ifMatch, body && hash("sha256", body)]))

const isSameInput = ({ intent }: Attempt, mutation: Mutation) => intent?.input_hash === inputHashOf(mutation)

function intentOf(session: Session, mutation: Mutation, body: JsonObject | undefined, about: AboutContent): IntentRow {
  const { operation, workId: work_id, itemId: item_id, ifMatch, requestId: request_id } = mutation
  const { id, roles } = session.person
  return {
    kind: "intent",
    person: id,
    roles,
    operation,
    work_id,
    item_id,
    decision: operation === "resolveWorkApproval" ? decisionIn(body) : undefined,
    version: versionOf(ifMatch),
    ...readRequest(operation, body),
    ...about,
    body_hash: mutation.body && namedHash(mutation.body),
    request_id,
    key_hash: keyHashOf(mutation),
    input_hash: inputHashOf(mutation),
  }
}

function decisionIn(body: JsonObject | undefined): "approve" | "decline" | undefined {
  const decision = body?.["decision"]
  return decision === "approve" || decision === "decline" ? decision : undefined
}

function outcomeOf({ operation }: Mutation, answer: MutationAnswer): Omit<OutcomeRow, "intent"> {
  switch (answer.kind) {
    case "success": {
      const { status, replayed } = answer
      return { ...readAnswer(operation, answer.body), kind: "outcome", outcome: "recorded", status, replayed }
    }
    case "problem": {
      const { status } = answer
      return { kind: "outcome", outcome: status >= 400 && status < 500 ? "refused" : "unknown", status }
    }
    case "none":
      return { kind: "outcome", outcome: "unknown", unsent: answer.unsent }
  }
}

function aboutOf({ summary, destination, subject, content_hash, payload_hash }: AttemptedIntent): AboutContent {
  return { summary, destination, subject, content_hash, payload_hash }
}

/** Resolves with `work`, which never rejects, or after some milliseconds. */
async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
