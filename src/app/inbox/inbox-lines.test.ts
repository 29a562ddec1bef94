import { expect, test } from "vitest"
import { isWaiting } from "../client/waiting.ts"
import { arrangeLines } from "./inbox-lines.ts"
import { readInboxView } from "./inbox-view.ts"
import { titleOf } from "./item.ts"
import type { Assignment } from "../../contract/desk-people.ts"
import type { WaitingApproval } from "../../contract/desk-work.ts"
import { parseJson } from "../../contract/int64.ts"
import { fakeApproval, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"

const NOW = Date.parse("2026-11-23T12:00:00Z")
const ME = { person: { id: "ada" }, teams: ["Finance"] }
const hours = (count: number) => new Date(NOW + count * 3_600_000).toISOString()

const given = (to: Assignment["to"], since = -1): Pick<WaitingApproval, "assignment"> => ({
  assignment: { to, by: { id: "ben", name: "Ben" }, at: hours(since), etag: '"1"' },
})
const toMe = { person: { id: "ada", name: "Ada" } }
const held = (...ids: string[]): Pick<WaitingApproval, "approvals"> => ({
  approvals: {
    needed: 2,
    given: ids.map((id) => ({ person: { id, name: id }, at: hours(-1) })),
    earlier: [],
  },
})

/** The titles of the lines, of approvals that were created one after the other. */
function arrange(
  entries: Readonly<
    Record<string, Omit<Partial<WaitingApproval>, "work" | "item"> & { item?: object; isForOthers?: true }>
  >,
  query = "",
) {
  const approvals = Object.entries(entries).map(([summary, { item, isForOthers, ...members }], at) => ({
    ...(isForOthers ? {} : { needs_you: true }),
    work: workJson(fakeWork(`w${at}`, at)),
    item: fakeApproval(`a${at}`, { summary, created_at: hours(at - 100), ...item }),
    ...members,
  }))
  const answer = parseJson(JSON.stringify({ attention: [], approvals }))
  const read = isWaiting(answer) ? answer.approvals : []
  const view = readInboxView(new URLSearchParams(query), "/approvals")
  const { listed, aside, approved, others } = arrangeLines(read, "/approvals", view, ME, NOW)
  const titles = (lines: typeof listed) => lines.map(({ entry }) => titleOf(entry.item)).join(" ")
  return { listed: titles(listed), aside: titles(aside), approved: titles(approved), others: titles(others) }
}

test("what came back is first, then what is mine or my team's, then the oldest", () => {
  const entries = {
    old: {},
    others: given({ person: { id: "ben", name: "Ben" } }),
    mine: given(toMe),
    team: given({ team: "Finance" }),
    forgotten: given(toMe, -25),
    back: { back: true },
  } as const
  expect(arrange(entries).listed).toBe("back mine team old others forgotten")
  expect(arrange(entries, "for=mine").listed).toBe("mine team forgotten")
  expect(arrange(entries, "for=free").listed).toBe("back old")
})

test("by the time of the decision, what has no such time is last", () => {
  const entries = {
    none: {},
    late: { decide_by: hours(5) },
    past: { decide_by: hours(-1) },
    soon: { decide_by: hours(1) },
  }
  expect(arrange(entries).listed).toBe("past soon late none")
  expect(arrange(entries, "sort=oldest").listed).toBe("none late past soon")
})

test("what is set aside, and what the person approved while it needs another, is not in the list", () => {
  const entries = {
    aside: { aside: { until: hours(3) } },
    needsMe: held("ben"),
    needsAnother: held("ada"),
    forOthers: { isForOthers: true as const },
    // The rule asks for fewer now: the next approve sends, also mine.
    enough: {
      approvals: { ...held("ada").approvals, needed: 1, given: held("ada").approvals?.given ?? [], earlier: [] },
    },
  }
  expect(arrange(entries)).toEqual({
    listed: "needsMe enough",
    aside: "aside",
    approved: "needsAnother",
    others: "forOthers",
  })
})

test("groups stand where their first item would stand, and keep the order within", () => {
  const entries = {
    a: { item: { destination: "x" } },
    b: { item: { destination: "y" } },
    c: { ...given(toMe), item: { destination: "y" } },
    d: { item: { destination: "x" } },
  }
  expect(arrange(entries, "group=destination").listed).toBe("c b a d")
  expect(arrange(entries, "group=work&to=x").listed).toBe("a d")
})
