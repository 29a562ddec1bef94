import { describe, expect, it } from "vitest"
import { ITEM_TEXT_MAX_BYTES } from "../../contract/limits.ts"
import { parseJson } from "../../contract/int64.ts"
import type { Work } from "../../contract/resources.ts"
import { fakeApproval, fakeWork, workJson } from "../../desk/watcher/testing/simulation.ts"
import { type Members, readApproval, readList, readWork, unreadOf, WORK_MEMBERS } from "./check-resource.ts"

const asRead = (value: object): unknown => parseJson(JSON.stringify(value))
const work = (json: object = {}) => asRead(workJson(fakeWork("w", 1, { json })))

describe("a resource of the service", () => {
  it("has a table of members that schema.d.ts decides", () => {
    const { due_at: _dueAt, ...without } = WORK_MEMBERS
    // @ts-expect-error a member is missing
    const lacking: Members<Work> = without
    // @ts-expect-error a version is an int64
    const other: Members<Work> = { ...WORK_MEMBERS, version: "string" }
    // @ts-expect-error an optional member may be left out
    const demanding: Members<Work> = { ...WORK_MEMBERS, due_at: "string" }
    expect([lacking, other, demanding]).toHaveLength(3)
  })

  it("is the same object if it matches openapi.yaml, even with an unknown member or status", () => {
    const given = work({ status: "new", more: { deep: 1 } })
    expect(readWork(given)).toBe(given)
  })

  it("loses optional members that are null, and keeps null in an unknown member", () => {
    const read = readWork(work({ due_at: null, attention_question: null, completion_summary: null, more: null }))
    expect(read).toEqual(work({ more: null }))
    expect(unreadOf(read ?? {})).toBeUndefined()
  })

  it.each([{ objective: undefined }, { title: null }, { version: "1" }, { due_at: 5 }, { unread: true }])(
    "is a stand-in if it has %j",
    (wrong) => {
      const read = readWork(work(wrong))
      expect(read).toMatchObject({ id: "w", title: "This Work can't be read" })
      expect(unreadOf(read ?? {})).toBe("malformed")
      // Tabs send stand-ins to each other, so reading a stand-in must give the same stand-in.
      expect(readWork(read)).toEqual(read)
    },
  )

  it("is too large if the item has more than 1 MiB, or the desk says so", () => {
    const large = readApproval(asRead(fakeApproval("a", { body: "x".repeat(ITEM_TEXT_MAX_BYTES) })))
    const said = readApproval(asRead({ id: "a", work_id: "w", version: 1, status: "pending", too_large: true }))
    for (const read of [large, said]) {
      expect(read).toMatchObject({ id: "a", version: 1n, body: "" })
      expect(read?.summary).toBe("This request can't be read")
      expect(unreadOf(read ?? {})).toBe("too large")
    }
  })

  it("is counted if it has no id", () => {
    const list = readList([work(), work({ id: null }), null, 5, work({ title: null })], readWork)
    expect([list?.data.map(({ id }) => id), list?.unread]).toEqual([["w", "w"], 3])
    expect(readList("no list", readWork)).toBeUndefined()
  })
})
