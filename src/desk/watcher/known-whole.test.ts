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
      onResolved: (workId, isResolved) => void (isResolved("any item", Number.POSITIVE_INFINITY) && ended.push(workId)),
    })
    simulation.run(10_000)
    simulation.answer = (target) => answer(target) ?? answerFrom(simulation.works, target)
    simulation.run(60_000)
    const list = simulation.plan.state.knownWhole()
    expect([ended, list.level === "whole" ? list.findEnded(ITEMS) : []]).toEqual([[], []])
    expect(simulation.approvals).toHaveLength(3)
  })
})

describe("what is stored about an item that no list has", () => {
  /** A watcher that has read everything, and whether it takes an item of the Work for resolved. */
  function watch(change: (simulation: Simulation) => void, storedAt = 0) {
    const ended = new Set<string>()
    const simulation = new Simulation(waitingWorks(), {
      onResolved: (workId, isResolved) => {
        for (const id of ["gone", `a-${workId}`, `c-${workId}`])
          if (isResolved(id, storedAt)) ended.add(`${workId} ${id}`)
      },
    })
    change(simulation)
    simulation.run(60_000)
    return [...ended].filter((found) => found.endsWith("gone") || found.includes("w0") || found.startsWith("q")).sort()
  }
  const gone = ["q a-q", "q gone", "w0 c-w0", "w0 gone", "w1 gone", "w2 gone"]

  test("ends with the next check, and what waits stays", () => {
    expect(watch(() => undefined)).toEqual(gone)
  })

  test("ends when a clarification was answered elsewhere", () => {
    const answer = ({ works }: Simulation) => {
      const question = works.find(({ id }) => id === "q")
      if (question) Object.assign(question, { clarificationId: undefined, clarifications: [], status: "working" })
    }
    expect(watch(answer)).toEqual(["q a-q", "q c-q", ...gone.slice(1)])
  })

  test("stays while it was stored so lately that another desk may have read the item first", () => {
    expect(watch(() => undefined, Date.now())).toEqual([])
  })

  test.each([403, 404, 500, 502])("stays while a list of the Work answers %i", (status) => {
    const isItems = (target: string) => /approvals|attention/.test(target)
    const refuse = (simulation: Simulation) => {
      simulation.answer = (target) =>
        isItems(target) ? problem(status, "REFUSED") : answerFrom(simulation.works, target)
    }
    expect(watch(refuse)).toEqual([])
  })
})
