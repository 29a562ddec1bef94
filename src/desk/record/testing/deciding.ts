/** What tests of the record and the rules share: persons with sessions, approvals to decide, and a desk that takes decisions. */
import { answerOf } from "../../../platform/http/testing/answer-of.ts"
import { randomUUID } from "node:crypto"
import { expect, onTestFinished } from "vitest"
import type { Prepared } from "../gate/mutation-gate.ts"
import type { Mutation, MutationAnswer } from "../gate/mutation.ts"
import { parseJson } from "../../../contract/int64.ts"
import { canonicalJson, namedHash } from "../canonical-json.ts"
import { DeskRecord } from "../desk-record.ts"
import type { Head } from "../hash-chain.ts"
import { type Access, parseAccess } from "../../people/access-file.ts"
import type { Session } from "../../people/people-interface.ts"
import type { Database } from "../../store/database.ts"
import { databaseForTest, describeStores, sqliteForTest, type StoreUnderTest } from "../../store/testing/stores.ts"

export const ACCESS = {
  contact: "the finance desk, desk@example.com",
  roles: { reader: ["anyone"], approver: ["group:finance"], delegator: ["group:ops"] },
  rules: [],
}

/** A session of somebody in finance and ops, who signed in just now. */
export function sessionOf(
  name: string,
  more: Partial<Session> & { readonly groups?: readonly string[] } = {},
): Session {
  const { groups = ["finance", "ops"], ...session } = more
  const id = name.toLowerCase()
  return {
    id: `session of ${id}`,
    person: { id, name, roles: ["reader", "approver"], operations: [] },
    identity: { issuer: "https://login.example", subject: id, email: `${id}@example.com`, groups },
    authenticatedAt: Date.now(),
    endsAt: null,
    ...session,
  }
}

export const ada = sessionOf("Ada")
export const ben = sessionOf("Ben")
export const cleo = sessionOf("Cleo")
export const dana = sessionOf("Dana")

export function approval(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    id: "approval_1",
    work_id: "work_1",
    action_id: "action_1",
    requested_by_colleague: "analyst",
    summary: "Send the profile",
    risk: "low",
    destination: "payments@bank.example",
    subject: "Profile of october.csv",
    body: "Dear bank",
    proposed_action_payload_hash: "sha256:abc",
    policy_reason: "leaves the house",
    status: "pending",
    version: 1,
    created_at: "2026-11-21T10:00:00Z",
    ...more,
  }
}

/** The approval as the watcher has it. */
export const watchedApproval = (content = approval()) => ({
  workId: "work_1",
  approvalId: "approval_1",
  version: String(content["version"]),
  asked: { destination: String(content["destination"]), colleague: "analyst" },
  contentHash: () => namedHash(canonicalJson(parseJson(JSON.stringify(content)))),
})

/** A rule by which the approval needs two approves. */
export const TWO = { destination: "*@bank.example", approvalsNeeded: 2 }

/** One approval's decision, with a key of its own. */
export function decision(more: Partial<Mutation> & { readonly decide?: "approve" | "decline" } = {}): Mutation {
  const { decide = "approve", ...mutation } = more
  return {
    operation: "resolveWorkApproval",
    target: "/api/v1/work/work_1/approvals/approval_1/resolve",
    workId: "work_1",
    itemId: "approval_1",
    idempotencyKey: randomUUID(),
    ifMatch: '"1"',
    body: Buffer.from(JSON.stringify({ decision: decide, comment: "a comment in confidence" })),
    requestId: "request-1",
    ...mutation,
  }
}

export function creation(more: Partial<Mutation> = {}): Mutation {
  return {
    operation: "createWork",
    target: "/api/v1/work",
    idempotencyKey: randomUUID(),
    ifMatch: undefined,
    body: Buffer.from(JSON.stringify({ colleague_id: "analyst", objective: "profile it", title: "October" })),
    requestId: "request-2",
    ...more,
  }
}

export function success(
  content: unknown,
  more: { readonly replayed?: boolean; readonly status?: number } = {},
): MutationAnswer {
  return { kind: "success", status: 200, replayed: false, body: Buffer.from(JSON.stringify(content)), ...more }
}

/** The service's answer to the approve that it took. */
export const decided = success({ ...approval(), status: "approved", version: 2, resolution_actor: "sa_demo" })

/** A desk's record, with the steps of a mutation as the proxy takes them. */
export class DecidingDesk {
  readonly record: DeskRecord
  readonly database: Database
  readonly heads: Head[] = []
  /** What the upstream's listWorkApprovals gives. */
  approvals: readonly unknown[] = [approval()]
  /** The colleague of the Work. */
  colleague = "analyst"
  /** How often the approvals were read. */
  reads = 0
  /** What happens while an answer with the approvals is on its way to the desk. */
  duringRead: () => Promise<void> = async () => undefined
  #access: Access = parseAccess(JSON.stringify(ACCESS))

  constructor(database: Database, mode: "local" | "sign-in" = "sign-in") {
    this.database = database
    this.record = new DeskRecord({
      database,
      mode,
      access: () => this.#access,
      onStored: () => undefined,
      onFailed: () => undefined,
      onHead: (head) => this.heads.push(head),
    })
    onTestFinished(() => this.record.stop())
  }

  /** Stores the person, as a sign-in does. */
  async #knows({ person, identity }: Session): Promise<void> {
    await this.database.write(
      `INSERT INTO person (id, issuer, subject, name, email, member_groups, signed_in_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      person.id,
      identity.issuer,
      identity.subject,
      person.name,
      identity.email ?? null,
      JSON.stringify(identity.groups),
      Date.now(),
    )
  }

  /** Changes the groups that the person's last sign-in gave. */
  async regroup({ person }: Session, groups: readonly string[]): Promise<void> {
    await this.database.write("UPDATE person SET member_groups = ? WHERE id = ?", JSON.stringify(groups), person.id)
  }

  /** Puts rules into the access file. */
  rules(...rules: readonly object[]): void {
    this.#access = parseAccess(JSON.stringify({ ...ACCESS, rules }))
  }

  async prepare(session: Session, mutation: Mutation): Promise<Prepared> {
    await this.#knows(session)
    return this.record.prepare(session, mutation, {
      approvals: this.#readApprovals,
      isClarificationListed: async () => true,
      colleague: async () => this.colleague,
      knownColleague: () => this.colleague,
      isTooLarge: () => false,
    })
  }

  readonly #readApprovals = async () => {
    this.reads++
    const answer = Buffer.from(JSON.stringify({ data: this.approvals }))
    await this.duringRead()
    return answer
  }

  /** Prepares a mutation that may be sent, and stores the outcome of an answer. */
  async send(session: Session, mutation: Mutation, answer: MutationAnswer): Promise<void> {
    const prepared = await this.prepare(session, mutation)
    if (prepared.kind !== "send") throw new Error(JSON.stringify(prepared))
    await prepared.storeOutcome(answer)
  }

  /** Prepares an approve that the desk holds. Returns the names of those whose approves count. */
  async holds(session: Session, mutation: Mutation): Promise<readonly string[]> {
    const prepared = await this.prepare(session, mutation)
    if (prepared.kind !== "held") throw new Error(JSON.stringify(prepared))
    return prepared.answer.given.map(({ person }) => person.name)
  }

  /** Takes back an approve. Returns the status of the answer. */
  async withdraw(session: Session, key: string = randomUUID()): Promise<number> {
    const target = "/desk/approvals/work_1/approval_1/mine"
    const ids = { workId: "work_1", itemId: "approval_1" }
    const withdrawal = { ...ids, target, idempotencyKey: key, requestId: "request-3" }
    const withdrawn = this.record.withdrawApprove(session, withdrawal, this.#readApprovals)
    return (await answerOf(withdrawn))?.status ?? 204
  }

  /** Expects a refusal. Returns its `detail`. */
  async refuses(session: Session, mutation: Mutation, status: number, code: string): Promise<string> {
    const answer = await answerOf(this.prepare(session, mutation))
    expect(answer).toMatchObject({ status, code })
    return "detail" in answer ? answer.detail : ""
  }

  /** All entries, newest first. */
  async entries(query = "") {
    return (await this.record.list(query)).data
  }
}

type Mode = "local" | "sign-in"

export const sqliteDesk = async (mode?: Mode) => new DecidingDesk(await sqliteForTest(), mode)

type Desks = StoreUnderTest & { readonly newDesk: (mode?: Mode) => Promise<DecidingDesk> }

/** Tests with desks on each kind of store. */
export function describeDesks(name: string, tests: (desks: Desks) => void): void {
  describeStores(name, ({ newStore }) =>
    tests({ newStore, newDesk: async (mode) => new DecidingDesk(await databaseForTest(await newStore()), mode) }),
  )
}
