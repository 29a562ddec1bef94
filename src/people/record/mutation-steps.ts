/** A mutation's way from the guards to the upstream: what is read, checked and written down before anything is sent, and after. */
import { hash } from "node:crypto"
import { parseInt64 } from "../../contract/int64.ts"
import type { MayApprove } from "../../contract/desk.ts"
import type { Refusal } from "../../contract/refusal.ts"
import type { Access } from "../access.ts"
import type { Session } from "../people.ts"
import { type ApprovalInQuestion, asksForCreator, judge, rulesFor } from "../rules/rules.ts"
import { type Database, type Statements, StoreUnavailableError } from "../store/database.ts"
import { type JsonObject, parseObject, readBody } from "./body.ts"
import { namedHash } from "./canonical-json.ts"
import { append } from "./chain.ts"
import { type AboutContent, type ApprovalRead, findApproval, readAnswer, readRequest } from "./content.ts"
import type { ApprovalsRead, Mutation, MutationAnswer, Prepared } from "./interface.ts"
import { type Attempt, attemptsWith, creationOf, isUnsettled } from "./look-up.ts"
import {
  approvalNotFound,
  approvalsInvalid,
  bodyInvalid,
  keyOfAnother,
  recordUnavailable,
  ruleRefusal,
  versionInvalid,
  versionRequired,
  versionStale,
} from "./refusals.ts"
import type { ChainRow, Intent, Outcome } from "./rows.ts"

/** An answer does not wait longer than this for its outcome row. */
const SETTLE_MS = 300

export type MutationOptions = {
  readonly database: Database
  readonly mode: "local" | "sign-in"
  readonly access: () => Access
  /** Told of each append that is on the disk: how many rows, and how long it took. */
  readonly stored: (rows: number, milliseconds: number) => void
  /** Told why a row could not be stored. */
  readonly failed: (error: unknown) => void
}

/** What was found out about a mutation that may be sent. */
type Checked = { readonly kind: "checked"; readonly body: JsonObject | undefined; readonly about: AboutContent }

type Stopped = Exclude<Prepared<never>, { readonly kind: "send" }>

export class MutationSteps {
  readonly #options: MutationOptions
  readonly #settling = new Set<Promise<void>>()

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
      const checked =
        this.#options.mode === "local" ? readLeniently(mutation) : await this.#check(session, mutation, readApprovals)
      return checked.kind === "checked" ? await this.#begin(session, mutation, checked) : checked
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error
      this.#options.failed(error)
      return refused({ ...recordUnavailable, cause: error.reason })
    }
  }

  /** See `DeskRecord.mayApprove`. */
  async mayApprove(session: Session, approval: ApprovalInQuestion): Promise<MayApprove> {
    const { database, access } = this.#options
    const rules = rulesFor(access(), approval)
    const creation = asksForCreator(rules)
      ? await creationOf(database, approval.workId, session.person.id)
      : { creators: [], isUnknown: false }
    return judge(rules, session, creation, access(), Date.now())
  }

  /** Resolves when no outcome row is on its way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#settling)
  }

  async #check<Failure>(
    session: Session,
    mutation: Mutation,
    readApprovals: () => Promise<ApprovalsRead<Failure>>,
  ): Promise<Checked | Stopped | { readonly kind: "failed"; readonly answer: Failure }> {
    const { operation, ifMatch } = mutation
    const version = versionOf(ifMatch)
    if (operation === "resolveWorkAttention" || operation === "resolveWorkApproval") {
      if (version === undefined) return refused(ifMatch === undefined ? versionRequired : versionInvalid)
    }
    const body = mutation.body && readBody(mutation.body)
    if (mutation.body !== undefined && body === undefined) return refused(bodyInvalid)
    const attempts = await attemptsWith(this.#options.database, keyHashOf(mutation))
    if (attempts.some(({ personId }) => personId !== session.person.id)) return refused(keyOfAnother)
    if (operation !== "resolveWorkApproval") return { kind: "checked", body, about: {} }
    const earlier = attempts.find((attempt) => isSameInput(attempt, mutation) && attempt.outcome !== "refused")
    // The service answers a replay before it looks at versions: so does the desk.
    if (earlier?.intent !== undefined) return { kind: "checked", body, about: aboutOf(earlier.intent) }
    const read = await readApprovals()
    if (read.kind === "failed") return read
    const approval = findApproval(read.body, mutation.itemId ?? "")
    if (approval === "invalid") return refused(approvalsInvalid)
    if (approval === undefined) return refused(approvalNotFound)
    if (approval.version !== version) return refused(versionStale)
    // Whatever is not exactly `decline` could be an approval to an upstream that reads more generously.
    const refusal = body?.["decision"] === "decline" ? undefined : await this.#applyRules(session, mutation, approval)
    return refusal === undefined ? { kind: "checked", body, about: approval.about } : refused(refusal)
  }

  async #applyRules(session: Session, { workId = "" }: Mutation, approval: ApprovalRead): Promise<Refusal | undefined> {
    const { destination, colleague } = approval
    const may = await this.mayApprove(session, { workId, destination, colleague })
    return may.approve ? undefined : ruleRefusal(may.code, may.detail)
  }

  /** Stores the intent. The key's owner is looked up again within the lock: two persons may have sent the same key at once. */
  async #begin(session: Session, mutation: Mutation, { body, about }: Checked): Promise<Prepared<never>> {
    const intent = intentOf(session, mutation, body, about)
    const storing = this.#store(async (statements) => {
      if (this.#options.mode === "sign-in") {
        const attempts = await attemptsWith(statements, intent.key_hash)
        if (attempts.some(({ personId }) => personId !== session.person.id)) return []
      }
      return append(statements, [intent])
    })
    // Whatever the reason is: without a row nothing is sent.
    const [row] = await storing.catch((error: unknown) => {
      throw error instanceof StoreUnavailableError
        ? error
        : new StoreUnavailableError("no row", "refused", { cause: error })
    })
    if (row === undefined) return refused(keyOfAnother)
    const settle = (answer: MutationAnswer) => this.#settle(mutation, intent, row.sequence, answer)
    return { kind: "send", body: mutation.body, settle }
  }

  /** Stores the outcome. A replay that the service confirms settles every earlier attempt with the same input. */
  #settle(mutation: Mutation, intent: Intent, sequence: number, answer: MutationAnswer): Promise<void> {
    const outcome = outcomeOf(mutation, answer)
    const storing = this.#store(async (statements) => {
      if (outcome.outcome !== "recorded" && !(await isUnsettled(statements, sequence))) return []
      const attempts = outcome.replayed === true ? await attemptsWith(statements, intent.key_hash) : []
      const confirmed = attempts.filter(
        (attempt) =>
          attempt.sequence !== sequence &&
          attempt.personId === intent.person.id &&
          attempt.outcome === "unknown" &&
          isSameInput(attempt, mutation),
      )
      // Only this answer was a replay: one of the attempts before it was recorded first.
      const { replayed: _replayed, ...first } = outcome
      const settled = confirmed.map((attempt) => ({ ...first, intent: attempt.sequence }))
      return append(statements, [{ ...outcome, intent: sequence }, ...settled])
    }).then(nothing, this.#options.failed)
    this.#settling.add(storing)
    void storing.finally(() => this.#settling.delete(storing))
    return within(SETTLE_MS, storing)
  }

  /** Gives the rows that `work` has appended. */
  async #store(work: (statements: Statements) => Promise<readonly ChainRow[]>): Promise<readonly ChainRow[]> {
    const began = performance.now()
    const rows = await this.#options.database.transaction("record", work)
    if (rows.length > 0) this.#options.stored(rows.length, performance.now() - began)
    return rows
  }
}

const nothing = () => undefined

const refused = (refusal: Refusal): Stopped => ({ kind: "refused", refusal })

/** In local mode the body passes as it is: the record takes what can be read. */
function readLeniently({ body }: Mutation): Checked {
  return { kind: "checked", body: body && parseObject(body.toString("utf8")), about: {} }
}

/** The version in `If-Match`, which is one strong entity tag: an int64 in quotes. */
function versionOf(ifMatch: string | undefined): bigint | undefined {
  const [, digits] = /^"(\d+)"$/.exec(ifMatch?.trim() ?? "") ?? []
  return digits === undefined ? undefined : parseInt64(digits)
}

/** A key may be guessable, or be somebody's secret: its hash is kept. */
const keyHashOf = ({ idempotencyKey }: Mutation) => hash("sha256", `Idempotency-Key: ${idempotencyKey}`)

const inputHashOf = ({ target, ifMatch = "", body }: Mutation) =>
  hash("sha256", JSON.stringify([target, ifMatch, body && hash("sha256", body)]))

const isSameInput = ({ intent }: Attempt, mutation: Mutation) => intent?.input_hash === inputHashOf(mutation)

function intentOf(session: Session, mutation: Mutation, body: JsonObject | undefined, about: AboutContent): Intent {
  const { operation, workId: work_id, itemId: item_id, ifMatch, requestId: request_id } = mutation
  const { id, name, roles } = session.person
  return {
    kind: "intent",
    person: { id, name },
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

function outcomeOf({ operation }: Mutation, answer: MutationAnswer): Omit<Outcome, "intent"> {
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
      return { kind: "outcome", outcome: "unknown", status: answer.status }
  }
}

function aboutOf({ summary, destination, subject, content_hash, payload_hash }: Intent): AboutContent {
  return { summary, destination, subject, content_hash, payload_hash }
}

/** Resolves with `work`, which never rejects, or after some milliseconds without. */
async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
