import { expect, test } from "vitest"
import type { Work } from "../../contract/resources.ts"
import { arrangeDone, groupNameOf } from "./list-order.ts"
import { workForTest } from "./testing/work.ts"

const NOW = Date.parse("2026-11-20T09:00:00Z")
const work = (id: string, more: Partial<Work> = {}) => workForTest(id, { status: "done", ...more })
const done = [
  work("old", { created_at: "2026-11-01T09:00:00Z", priority: "urgent", due_at: "2026-11-25T09:00:00Z" }),
  work("new", { title: "Résumé", updated_at: "2026-11-21T09:00:00Z" }),
  work("mid", { created_at: "2026-11-10T09:00:00Z", colleague_id: "editor", due_at: "2026-11-19T09:00:00Z" }),
]

test.each([
  [{}, "new mid old"],
  [{ sort: "waiting" }, "new mid old"],
  [{ sort: "due" }, "mid old new"],
  [{ sort: "priority" }, "old new mid"],
  [{ sort: "updated" }, "new mid old"],
  [{ q: "resume TITLE" }, ""],
  [{ q: "resume x" }, "new"],
  [{ colleague: "editor" }, "mid"],
  [{ group: "priority", status: "done" }, "new mid old"],
  [{ due: "week" }, ""],
] as const)("done Work stands in the order of open Work: %j", (wanted, expected) => {
  expect(
    arrangeDone(done, wanted)
      .map(({ id }) => id)
      .join(" "),
  ).toBe(expected)
})

test("a group has a name", () => {
  expect(done.map((each) => groupNameOf(each, "due", NOW))).toEqual(["Due this week", "Without a date", "Overdue"])
  expect(done.map((each) => groupNameOf(each, "priority", NOW))).toEqual(["Urgent", "Normal", "Normal"])
  expect(groupNameOf(work("x"), "colleague", NOW)).toBe("analyst")
})

test("done Work is filtered by who delegated it, and by when it was created in the reader's zone", () => {
  const ids = (wanted: Parameters<typeof arrangeDone>[1], myId?: string) =>
    arrangeDone(done, wanted, { old: { id: "ben", name: "Ben" }, mid: { id: "ada", name: "Ada" } }, myId).map(
      ({ id }) => id,
    )
  expect(ids({ by: "ben" }, "ada")).toEqual(["old"])
  expect(ids({ by: "me" }, "ada")).toEqual(["mid"])
  expect(ids({ by: "constructor" }, "ada")).toEqual([])
  expect(ids({ by: "ben" }), "in local mode").toHaveLength(3)
  expect(ids({ created: "2026-11-10" })).toEqual(["mid"])
})

test("done Work is filtered by what is new to the person", () => {
  const ids = (newIds?: ReadonlySet<string>) =>
    arrangeDone(done, { new: "1" }, {}, undefined, newIds).map(({ id }) => id)
  expect(ids(new Set(["old", "elsewhere"]))).toEqual(["old"])
  expect(ids(), "not read yet").toEqual([])
})
