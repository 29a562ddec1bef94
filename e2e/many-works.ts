/** An upstream with thousands of Works in memory, with questions, approvals and done Work. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import type { Approval, Attention, Work } from "../src/contract/resources.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PAGE_DEFAULT = 50

const COLLEAGUES = ["analyst", "editor", "courier", "metronome"]
const PRIORITIES = ["normal", "high", "low", "urgent"] as const
const STATUSES = ["needs_you", "working", "paused"] as const
const TOPICS = ["October invoices", "Résumé of the year", "Supplier survey", "Penguin counts", "Board minutes"]

/** JSON has no 64-bit integers, so the version is a small number here. */
type Plain<Resource> = Omit<Resource, "version"> & { version: number }

export type ManyWorks = {
  readonly url: string
  readonly works: readonly Plain<Work>[]
  readonly approvals: readonly Plain<Approval>[]
  /** Answers reads of the approvals of `count` more Works, and holds the others until the returned function is called. */
  holdAfter(count: number): () => void
  stop(): void
}

/** Starts the upstream with `open` open Works and `done` done ones. Equal counts give equal Works. */
export async function startManyWorks(open: number, done: number): Promise<ManyWorks> {
  const now = Date.now()
  const works = [
    ...Array.from({ length: open }, (_, index) => workOf(index, now)),
    ...Array.from({ length: done }, (_, index) => doneWorkOf(index, now)),
  ].sort((one, other) => (one.created_at < other.created_at ? 1 : -1))
  const byId = new Map(works.map((work) => [work.id, work]))
  const attention = new Map<string, readonly Plain<Attention>[]>()
  const approvals = new Map<string, readonly Plain<Approval>[]>()
  for (const [index, work] of works.entries()) {
    const { current_attention_id: questionId } = work
    if (questionId !== undefined) attention.set(work.id, [attentionOf(questionId, work, index, now)])
    if (index % 5 === 0) approvals.set(work.id, [approvalOf(work, index, now)])
  }
  let held: PromiseWithResolvers<void> | undefined
  let free = 0

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://upstream.test")
    const [, , , , id, kind, itemId] = url.pathname.split("/").map(decodeURIComponent)
    if (id === undefined) return send(response, pageOf(works, url.searchParams))
    const work = byId.get(id)
    if (work === undefined) return void response.destroy()
    if (kind === undefined) return send(response, work)
    if (kind === "attention") return send(response, { data: attention.get(id) ?? [] })
    if (kind !== "approvals") return void response.destroy()
    if (itemId === undefined) {
      if (free-- <= 0) await held?.promise
      return send(response, { data: approvals.get(id) ?? [] })
    }
    const { decision } = (await json(request)) as { readonly decision: "approve" | "decline" }
    const [approval] = approvals.get(id) ?? []
    if (approval === undefined) return void response.destroy()
    approval.status = decision === "approve" ? "approved" : "declined"
    approval.resolved_at = new Date().toISOString()
    approval.version++
    send(response, approval)
  }
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    works,
    approvals: [...approvals.values()].flat(),
    holdAfter(count) {
      free = count
      held = Promise.withResolvers()
      return () => held?.resolve()
    },
    stop() {
      server.close().closeAllConnections()
    },
  }
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body))
}

function pageOf(works: readonly Plain<Work>[], query: URLSearchParams): object {
  const status = query.get("status")
  const matching = status === null ? works : works.filter((work) => work.status === status)
  const start = Number(query.get("cursor") ?? 0)
  const end = start + Number(query.get("limit") ?? PAGE_DEFAULT)
  return { data: matching.slice(start, end), ...(end < matching.length && { next_cursor: String(end) }) }
}

const pick = <Value>(values: readonly [Value, ...Value[]] | readonly Value[], index: number): Value => {
  const value = values[index % values.length]
  if (value === undefined) throw new Error("nothing to pick from")
  return value
}
const iso = (moment: number) => new Date(moment).toISOString()

function workOf(index: number, now: number): Plain<Work> {
  const status = pick(STATUSES, index)
  const created = now - (index % 20) * DAY - index * 17_000 - HOUR
  return {
    id: `open-${index}`,
    title: `${pick(TOPICS, index * 3 + 1)} ${index}`,
    objective: `Look through the ${pick(TOPICS, index >> 2).toLowerCase()}`,
    status,
    colleague_id: pick(COLLEAGUES, index >> 1),
    human_owner_id: "owner",
    visibility_scope: "private",
    priority: pick(PRIORITIES, index % 7),
    version: 1,
    created_by: "account",
    created_at: iso(created),
    updated_at: iso(Math.min(now, created + ((index * 7) % 600) * MINUTE)),
    ...(index % 3 !== 2 && { due_at: iso(now + ((index % 40) - 12) * DAY + 90 * MINUTE) }),
    ...(status === "needs_you" &&
      index % 6 === 0 && { current_attention_id: `question-${index}`, attention_question: `Which table of ${index}?` }),
  }
}

function doneWorkOf(index: number, now: number): Plain<Work> {
  const created = now - (index % 25) * DAY - index * 61_000 - HOUR
  const { attention_question: _question, current_attention_id: _attention, ...work } = workOf(index, now)
  return {
    ...work,
    id: `done-${index}`,
    title: `${pick(TOPICS, index)} done ${index}`,
    status: "done",
    created_at: iso(created),
    updated_at: iso(created + HOUR / 2),
  }
}

/** Waits from some minutes to some weeks, most of them hours. */
const waitOf = (index: number) => MINUTE * Math.min(40_000, 3 + 1.6 ** (index % 23)) + (index % 60) * 1_000

function attentionOf(id: string, work: Plain<Work>, index: number, now: number): Plain<Attention> {
  return {
    id,
    work_id: work.id,
    kind: "clarification",
    source_id: "step",
    title: `A question about ${work.title}`,
    what_happened: "The file has two tables.",
    why_needed: "One of them must be chosen.",
    recommended_action: "Take the first.",
    consequences: "The other is left out.",
    status: "open",
    version: 1,
    created_at: iso(now - waitOf(index)),
  }
}

function approvalOf({ id, title, status }: Plain<Work>, index: number, now: number): Plain<Approval> {
  const created = now - waitOf(index * 3)
  return {
    id: `approval-of-${id}`,
    work_id: id,
    action_id: "send",
    requested_by_colleague: pick(COLLEAGUES, index),
    summary: `Send ${title}`,
    risk: "It cannot be taken back.",
    destination: `desk-${index % 97}@halden.example`,
    subject: title,
    body: "Dear reader,\n\nplease find the letter below.",
    proposed_action_payload_hash: "sha256:abc",
    policy_reason: "It leaves the house.",
    status: status === "done" ? "approved" : "pending",
    version: 1,
    created_at: iso(created),
    ...(status === "done" && { resolved_at: iso(created + HOUR) }),
  }
}
