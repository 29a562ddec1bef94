import { describe, expect, it, test } from "vitest"
import { colleagueIdOf, headingOf, problemsOf, requestOf, type WorkDraft } from "./work-draft.ts"

const draft: WorkDraft = {
  id: "d",
  objective: "Count the rows",
  title: "",
  priority: "normal",
  visibility: "private",
  due: "",
  timeLimit: "",
  inputs: [],
}

describe("the request of a draft", () => {
  it("leaves out what was not entered, and says what the form shows", () => {
    expect(requestOf(draft, "analyst")).toEqual({
      colleague_id: "analyst",
      objective: "Count the rows",
      priority: "normal",
      visibility_scope: "private",
    })
  })

  it.each([
    ["work_1", "work_1"],
    ["a b", "a b"],
    [" a", undefined],
    ["a\nb", undefined],
    ["wörk", undefined],
    ["", undefined],
  ])("names the Work %j that it is instead of, where a header can hold the id", (workId, insteadOf) => {
    const again = { workId, title: "October", lostFiles: [] }
    expect(requestOf({ ...draft, again }, "analyst").insteadOf).toBe(insteadOf)
  })

  it("has the due time, the limit as an exact integer, and the uploads in their order", () => {
    const inputs = ["up_2", "up_1"].map((uploadId) => ({ id: uploadId, name: "a", bytes: 1, uploadId }))
    expect(requestOf({ ...draft, due: "2026-11-27T17:00", timeLimit: "90 min", inputs }, "analyst")).toMatchObject({
      due_at: new Date(2026, 10, 27, 17).toISOString(),
      active_execution_limit_seconds: 5400n,
      input_upload_ids: ["up_2", "up_1"],
    })
  })
})

describe("the problems of a draft", () => {
  it("count the objective in code points", () => {
    expect(problemsOf({ ...draft, objective: "😀".repeat(4000) }, "analyst")).toEqual([])
    expect(problemsOf({ ...draft, objective: "😀".repeat(4001) }, "analyst")).toEqual([
      { field: "objective", sentence: "1 character too many: at most 4,000.", missing: false },
    ])
  })

  it("differ between what is missing and what is wrong", () => {
    const faults = problemsOf({ ...draft, objective: "", timeLimit: "25 h", title: "\uD800" }, "")
    expect(faults.map(({ field, missing }) => [field, missing])).toEqual([
      ["colleague", true],
      ["objective", true],
      ["title", false],
      ["timeLimit", false],
    ])
  })
})

describe("the colleague", () => {
  const offered = [
    { id: "analyst", label: "Data analyst" },
    { id: "Editor", label: "analyst" },
  ]
  it("is an id before it is a label", () => {
    expect(colleagueIdOf("analyst", offered)).toBe("analyst")
    expect(colleagueIdOf(" Data analyst ", offered)).toBe("analyst")
    expect(colleagueIdOf("somebody", offered)).toBe("somebody")
  })
})

test.each([
  ["# October", "October"],
  ["###### October close ######  \nmore", "October close"],
  ["  ## A #1 plan", "A #1 plan"],
  ["#\tTabbed\r\nmore", "Tabbed"],
  ["October", undefined],
  ["#October", undefined],
  ["####### Seven", undefined],
  ["    # Code", undefined],
  ["\n# Second line", undefined],
  ["# #", undefined],
  [`# ${"x".repeat(1_001)}`, undefined],
])("the heading of %j is %j", (objective, heading) => expect(headingOf(objective)).toBe(heading))
