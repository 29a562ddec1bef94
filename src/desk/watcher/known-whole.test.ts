/** What the watcher proves to have ended, while the upstream fails. `watched-week.test.ts` has the same with random faults. */
import { describe, expect, test } from "vitest"
import type { ListedItem } from "./read-resources.ts"
import {
  answerFrom,
  fakeApproval,
  fakeClarification,
  fakeWork,
  problem,
  range,
  Simulation,
} from "./testing/simulation.ts"

type Item = { readonly kind: ListedItem["kind"]; readonly workId: string; readonly itemId: string }

const approval = (workId: string): Item => ({ kind: "approval", workId, itemId: `a-${workId}` })
const question = (workId: string): Item => ({ kind: "clarification", workId, itemId: `c-${workId}` })

const waitingWorks = () => [
  ...["working", "paused", "needs_you"].map((status, index) =>
    fakeWork(`w${index}`, index, { status, approvals: [fakeApproval(`a-w${index}`)] }),
  ),
  fakeWork("q", 9, { status: "needs_you", clarificationId: "c-q", clarifications: [fakeClarification("c-q")] }),
]
const ITEMS = [...range(3).map((index) => approval(`w${index}`)), question("q")]

/** A watcher that has just begun, as after a restart, and which of the items it proves to have ended. */
function begin(answer?: (target: string) => ReturnType<typeof problem> | undefined) {
  const simulation = new Simulation(waitingWorks())
  if (answer) simulation.answer = (target) => answer(target) ?? answerFrom(simulation.works, target)
  const ended = () => {
    const list = simulation.plan.state.knownWhole()
    return list.level === "whole" ? list.findEnded(ITEMS).map(({ item }) => item.workId) : []
  }
  return { simulation, ended }
}

const isList = (target: string) => target.includes("?status=")

describe("a watcher that begins", () => {
  test.each([
    ["the list answers 503", (target: string) => (isList(target) ? problem(503, "UNAVAILABLE") : undefined)],
    ["the list answers 404", (target: string) => (isList(target) ? problem(404, "NOT_FOUND") : undefined)],
    ["everything answers 404", () => problem(404, "NOT_FOUND")],
    ["one list is broken", (target: string) => (/=working/.test(target) ? problem(500, "BROKEN") : undefined)],
    ["approvals are refused", (target: string) => (/approvals/.test(target) ? problem(403, "FORBIDDEN") : undefined)],
    ["items are gone", (target: string) => (/w\d\/|attention/.test(target) ? problem(404, "GONE") : undefined)],
  ])("proves no end while %s", (_, answer) => {
    const { simulation, ended } = begin(answer)
    const found = new Set<string>()
    simulation.run(120_000, () => ended().forEach((id) => found.add(id)))
    expect([...found]).toEqual([])
    simulation.answer = (target) => answerFrom(simulation.works, target)
    simulation.run(60_000, () => ended().forEach((id) => found.add(id)))
    expect([[...found], simulation.isComplete]).toEqual([[], true])
  })

  test("proves the end of what ended before", () => {
    const { simulation, ended } = begin()
    const [resolved, done] = simulation.works
    if (resolved) resolved.approvals = [fakeApproval("a-w0", { status: "approved" })]
    if (done) done.status = "done"
    simulation.works.pop()
    simulation.run(20_000)
    expect(ended()).toEqual(["w0", "w1", "q"])
  })

  test("does not take a Work for gone that moves to another status while the list is read", () => {
    const { simulation, ended } = begin()
    const found = new Set<string>()
    const [work] = simulation.works
    simulation.answer = (target) => {
      // The Work becomes `needs_you` when that list was read, and before its own list is read.
      if (work !== undefined && target.includes("status=working")) work.status = "needs_you"
      return answerFrom(simulation.works, target)
    }
    simulation.run(20_000, () => ended().forEach((id) => found.add(id)))
    expect([...found]).toEqual([])
  })
})

describe("a running watcher", () => {
  test.each([
    ["everything answers 404", () => problem(404, "NOT_FOUND")],
    ["each Work answers 404", (target: string) => (isList(target) ? undefined : problem(404, "NOT_FOUND"))],
  ])("ends nothing while %s", (_, answer) => {
    const ended: string[] = []
    const simulation = new Simulation(waitingWorks(), {
      onResolved: (workId, isResolved) => void (isResolved("any item") && ended.push(workId)),
    })
    simulation.run(10_000)
    simulation.answer = (target) => answer(target) ?? answerFrom(simulation.works, target)
    simulation.run(60_000)
    const list = simulation.plan.state.knownWhole()
    expect([ended, list.level === "whole" ? list.findEnded(ITEMS) : []]).toEqual([[], []])
    expect(simulation.approvals).toHaveLength(3)
  })
})
