/** An upstream and a clock in memory, for the tests of the plan. */
import type { Answer } from "../../../platform/http/send.ts"
import type { ReadListeners } from "../check-steps.ts"
import { type Read, ReadPlan } from "../read-plan.ts"

export type FakeWork = {
  readonly id: string
  status: string
  version: number
  created: number
  clarificationId?: string
  approvals: object[]
  clarifications: object[]
  /** Further members, and members that differ. */
  json?: object
}

export function fakeWork(id: string, created: number, more: Partial<FakeWork> = {}): FakeWork {
  return { id, status: "working", version: 1, created, approvals: [], clarifications: [], ...more }
}

/** The numbers from 0 to `count` - 1. */
export const range = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Works `w0`, `w1` and so on. Each is one second newer than the Work before. */
export function manyWorks(count: number): FakeWork[] {
  return range(count).map((index) => fakeWork(`w${index}`, index * 1_000))
}

export function fakeApproval(id: string, more: object = {}): object {
  return {
    id,
    work_id: "w",
    action_id: "a",
    requested_by_colleague: "analyst",
    summary: `Summary ${id}`,
    risk: "low",
    destination: "a@example.com",
    subject: "Hello",
    body: "Text",
    proposed_action_payload_hash: "h",
    policy_reason: "p",
    status: "pending",
    version: 1,
    created_at: "2026-11-21T10:00:00Z",
    ...more,
  }
}

export function fakeClarification(id: string, more: object = {}): object {
  return {
    id,
    work_id: "w",
    kind: "clarification",
    source_id: "s",
    title: `Title ${id}`,
    what_happened: "x",
    why_needed: "x",
    recommended_action: "x",
    consequences: "x",
    status: "open",
    version: 1,
    created_at: "2026-11-21T10:00:00Z",
    ...more,
  }
}

/** The Work as the upstream writes it. */
export function workJson({ id, status, version, created, clarificationId, json }: FakeWork): object {
  return {
    id,
    title: `Title ${id}`,
    objective: "Objective",
    status,
    colleague_id: "analyst",
    human_owner_id: "owner",
    visibility_scope: "private",
    priority: "normal",
    version,
    created_by: "account",
    created_at: new Date(created).toISOString(),
    updated_at: new Date(created).toISOString(),
    ...(clarificationId !== undefined && { current_attention_id: clarificationId }),
    ...json,
  }
}

/** Answers as openapi.yaml says, newest Work first, in pages; the cursor is a position. */
export function answerFrom(works: readonly FakeWork[], target: string): { status: number; body: unknown } {
  const url = new URL(target, "http://upstream.test")
  const [, , , , id, kind] = url.pathname.split("/")
  if (id === undefined) {
    const wanted = url.searchParams.get("status")
    const matching = works.filter(({ status }) => status === wanted).sort((a, b) => b.created - a.created)
    const start = Number(url.searchParams.get("cursor") ?? 0)
    const end = start + Number(url.searchParams.get("limit"))
    const next = end < matching.length ? { next_cursor: String(end) } : {}
    return { status: 200, body: { data: matching.slice(start, end).map(workJson), ...next } }
  }
  const workId = decodeURIComponent(id)
  const work = works.find((each) => each.id === workId)
  if (work === undefined) return problem(404, "NOT_FOUND")
  if (kind === undefined) return { status: 200, body: workJson(work) }
  const items = kind === "approvals" ? work.approvals : work.clarifications
  return { status: 200, body: { data: items.map((item) => ({ ...item, work_id: workId })) } }
}

export function problem(status: number, code: string): { status: number; body: unknown } {
  const text = { type: "about:blank", title: code, detail: `${code} in words`, instance: "urn:x", code }
  return { status, body: { ...text, status, request_id: "request-1", retryable: status >= 429 } }
}

type Heard = { readonly at: number; readonly target: string; readonly inFlight: number }

/** Runs a plan in simulated time: each answer comes `latency` milliseconds after its request. */
export class Simulation {
  plan: ReadPlan
  readonly heard: Heard[] = []
  now = 0
  latency = 20
  works: FakeWork[]
  /** Replaces the upstream's usual answer. */
  answer: (target: string, at: number) => { status: number; body: unknown; headers?: Record<string, string> }
  readonly #listeners: ReadListeners
  #pending: { readonly read: Read; readonly at: number; readonly answer: Answer }[] = []

  constructor(works: FakeWork[], listeners: ReadListeners = {}) {
    this.works = works
    this.#listeners = listeners
    this.plan = new ReadPlan(listeners)
    this.answer = (target) => answerFrom(this.works, target)
    this.plan.start()
  }

  /** The desk restarts: a watcher that knows nothing begins. */
  restart(): void {
    this.#pending = []
    this.plan = new ReadPlan(this.#listeners)
    this.plan.start()
  }

  /** Lets `milliseconds` pass. Calls `during` after each answer. */
  run(milliseconds: number, during: () => void = () => undefined): void {
    const end = this.now + milliseconds
    for (;;) {
      const next = this.plan.next(this.now)
      if ("read" in next) {
        this.#ask(next.read)
        continue
      }
      this.#pending.sort((one, other) => one.at - other.at)
      const answerAt = this.#pending[0]?.at ?? Number.POSITIVE_INFINITY
      const at = Math.min(answerAt, Math.max(next.wakeAt, this.now + 1))
      if (at > end) break
      this.now = at
      const answered = answerAt <= at ? this.#pending.shift() : undefined
      if (answered === undefined) continue
      this.plan.applyAnswer(answered.read, answered.answer, this.now)
      during()
    }
    this.now = end
  }

  /** The targets that the upstream heard since `from`, without `/api/v1/work`. */
  targets(from = 0): string[] {
    return this.heard.filter(({ at }) => at >= from).map(({ target }) => target.replace("/api/v1/work", ""))
  }

  get isComplete(): boolean {
    const { state } = this.plan
    return state.isCompleteFor(state.works.values())
  }

  get approvals(): string[] {
    return [...this.plan.state.works.values()].flatMap(({ approvals }) => approvals.map(({ id }) => id)).sort()
  }

  #ask(read: Read): void {
    this.heard.push({ at: this.now, target: read.target, inFlight: this.#pending.length + 1 })
    const { status, body, headers = {} } = this.answer(read.target, this.now)
    const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
    this.#pending.push({ read, at: this.now + this.latency, answer: { status, headers, body: bytes } })
  }
}

/** A token bucket as the embedded service has one. Returns the fields RateLimit and RateLimit-Policy. */
export function bucket(quota: number, windowSeconds = 60) {
  let tokens = quota
  let at = 0
  return (now: number): { readonly isAllowed: boolean; readonly headers: Record<string, string> } => {
    tokens = Math.min(quota, tokens + ((now - at) / 1_000) * (quota / windowSeconds))
    at = now
    const isAllowed = tokens >= 1
    if (isAllowed) tokens--
    const refill = Math.ceil(((quota - tokens) / quota) * windowSeconds)
    return {
      isAllowed,
      headers: {
        "RateLimit-Policy": `"read";q=${quota};w=${windowSeconds}`,
        RateLimit: `"read";r=${Math.floor(tokens)};t=${refill}`,
        ...(!isAllowed && { "Retry-After": "1" }),
      },
    }
  }
}
