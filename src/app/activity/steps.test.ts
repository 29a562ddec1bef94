import { describe, expect, it } from "vitest"
import type { RecordEntry } from "../../contract/desk-work.ts"
import type { Approval, Artifact, Attention, Work } from "../../contract/resources.ts"
import type { FeedEvent } from "./received-events.ts"
import { foldReports, knownSteps, type KnownOfWork, type StepGroup } from "./steps.ts"

const at = (minute: number, second = 0) => new Date(Date.UTC(2026, 10, 20, 9, minute, second)).toISOString()

const work = { id: "work_1", title: "October", status: "working", created_at: at(0), updated_at: at(20) } as Work
const question = { id: "att_1", work_id: "work_1", title: "Which column?", created_at: at(2) } as Attention
const approval = {
  id: "apr_1",
  work_id: "work_1",
  summary: "Send the profile",
  status: "approved",
  created_at: at(10),
  resolved_at: at(12),
  resolution_comment: "Correct, thanks.",
} as Approval
const artifact = (path: string, created_at: string) => ({ id: path, work_id: "work_1", path, created_at }) as Artifact
const entry = (operation: string, name: string, more: Partial<RecordEntry>) =>
  ({ sequence: 1, operation, outcome: "recorded", person: { id: name, name }, at: at(0), ...more }) as RecordEntry

const known: KnownOfWork = {
  work,
  clarifications: [question],
  approvals: [approval],
  artifacts: [artifact("b.md", at(8, 1)), artifact("a.md", at(8)), artifact("c.md", at(15))],
  record: [
    entry("createWork", "Ben", {}),
    entry("resolveWorkAttention", "Ben", { at: at(4), item_id: "att_0", summary: "Which file?" }),
    entry("resolveWorkApproval", "Ada", { at: at(12), item_id: "apr_1" }),
    entry("resolveWorkAttention", "Emil", { at: at(5), item_id: "att_9", outcome: "refused" }),
  ],
}

const events = (list: readonly (readonly [type: string, data: string, receivedAt?: string])[]) => {
  const made = list.map(([type, data, receivedAt = at(30)], index): FeedEvent => ({
    id: String(index + 1),
    type,
    data,
    index,
    receivedAt: Date.parse(receivedAt),
  }))
  return { length: made.length, at: (position: number) => made[position] }
}
const when = (moment: string) => JSON.stringify({ message: "Words", occurred_at: moment })
/** Each group as its step's words and the ids of its reports, newest step first. */
const told = (groups: readonly StepGroup[]) =>
  groups.map(({ step, reports }) => [step?.words ?? "-", reports.map(({ id }) => id).join(" ")])

describe("the steps of a Work", () => {
  it("are in order, with the names from the desk's record", () => {
    expect(knownSteps(known).map(({ words, about }) => (about === undefined ? words : `${words}: ${about}`))).toEqual([
      "Created by Ben",
      "Asked a question: Which column?",
      "Answered by Ben: Which file?",
      "2 results: a.md, b.md",
      "Asked for approval: Send the profile",
      "Approved by Ada: “Correct, thanks.”",
      "1 result: c.md",
    ])
  })

  it("have no name if the desk has no people, and quote an answer only in the browser that sent it", () => {
    const local = [entry("createWork", "local", {}), entry("resolveWorkAttention", "local", { item_id: "att_0" })]
    const steps = knownSteps({ work, record: local, answers: [{ id: "att_0", text: "The first" }] })
    expect(steps.map(({ words, about }) => [words, about])).toEqual([
      ["Created", undefined],
      ["Answered", "“The first”"],
    ])
    expect(knownSteps({ work: { ...work, status: "done" } }).map(({ words }) => words)).toEqual(["Created", "Done"])
    expect(knownSteps({})).toEqual([])
  })

  it("link only to pending items", () => {
    const pending = { ...approval, status: "pending", resolved_at: undefined } as unknown as Approval
    const steps = knownSteps({ work, clarifications: [question], approvals: [pending] })
    expect(steps.map(({ to }) => to)).toEqual([
      undefined,
      "/needs-you?item=att_1&work=work_1",
      "/approvals?item=apr_1&work=work_1",
    ])
    expect(knownSteps({ approvals: [approval] }).map(({ to }) => to)).toEqual([undefined, undefined])
  })
})

describe("every other event", () => {
  const steps = knownSteps({ work, approvals: [approval] })

  it("is folded under the last step before its time, in the order in which it came", () => {
    const list = events([
      ["a", when(at(1))],
      ["b", when(at(11))],
      ["c", when(at(9))],
      ["d", when(at(12))],
      ["e", when("2026-11-20T08:00:00Z")],
    ])
    expect(told(foldReports(steps, { events: list, firstLive: 0, isEmbedded: false }))).toEqual([
      ["Approved", "4"],
      ["Asked for approval", "2"],
      ["Created", "1 3"],
      ["-", "5"],
    ])
  })

  it("without a time is placed by its arrival, or at the beginning if it came when the page was opened", () => {
    const list = events([
      ["a", "{}", at(20)],
      ["b", "not JSON", at(20)],
      ["c", "{}", at(11)],
      ["d", "[]", at(40)],
    ])
    expect(told(foldReports(steps, { events: list, firstLive: 2, isEmbedded: false }))).toEqual([
      ["Approved", "4"],
      ["Asked for approval", "3"],
      ["Created", ""],
      ["-", "1 2"],
    ])
  })

  it("makes a step if the embedded service reports that work began or paused, and no step for other services", () => {
    const list = events([
      ["work.created", when(at(0))],
      ["input.read", when(at(1))],
      ["finding", when(at(2))],
      ["input.read", when(at(3))],
      ["work.paused", when(at(4))],
    ])
    const from = knownSteps({ work })
    expect(told(foldReports(from, { events: list, firstLive: 5, isEmbedded: true }))).toEqual([
      ["Paused", "5"],
      ["Started", "2 3 4"],
      ["Created", "1"],
    ])
    expect(told(foldReports(from, { events: list, firstLive: 5, isEmbedded: false }))).toEqual([
      ["Created", "1 2 3 4 5"],
    ])
  })

  it("is kept, however many there are, and whether or not anything else is known", () => {
    const list = events(Array.from({ length: 10_000 }, (_, index) => ["x", when(at(index % 60))] as const))
    for (const given of [steps, []]) {
      const groups = foldReports(given, { events: list, firstLive: 0, isEmbedded: true })
      const ids = groups.flatMap(({ reports }) => reports.map(({ id }) => Number(id)))
      expect(new Set(ids).size).toBe(10_000)
      for (const { reports } of groups) {
        const indexes = reports.map(({ index }) => index)
        expect(indexes).toEqual(indexes.toSorted((one, other) => one - other))
      }
    }
  })
})
