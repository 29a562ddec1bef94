import { describe, expect, it } from "vitest"
import type { Work } from "../../contract/resources.ts"
import { writeWorkExport } from "./work-export.ts"

const work: Work = {
  id: "work_1",
  title: "# Not a heading [x](javascript:alert(1))",
  objective: "Do\n```\n# not a heading\n````",
  status: "done",
  colleague_id: "analyst",
  human_owner_id: "owner",
  visibility_scope: "private",
  priority: "normal",
  version: 9007199254740993n,
  created_by: "sa",
  created_at: "2026-11-20T08:00:00Z",
  updated_at: "2026-11-20T09:00:00Z",
  completion_summary: "All done",
}

const nothing = {
  attention: { items: [] },
  answered: [],
  approvals: { items: [] },
  artifacts: { items: [] },
  events: [],
}

describe("the Markdown export of a Work", () => {
  it("has every field, exact, and every part", () => {
    const markdown = writeWorkExport({ work, ...nothing })
    expect(markdown).toContain("- version: ` 9007199254740993 `")
    expect(markdown).toContain("- id: ` work_1 `")
    expect(markdown).toContain("All done")
    for (const part of ["Objective", "Result", "Clarifications", "Approvals", "Artifacts", "Activity"])
      expect(markdown).toContain(`\n## ${part}\n`)
  })

  it("is written for a text of 300,000 backticks", () => {
    const objective = "` ".repeat(300_000)
    expect(writeWorkExport({ work: { ...work, objective }, ...nothing })).toContain(objective)
  })

  it("lets nothing from outside become markup", () => {
    const markdown = writeWorkExport({
      work,
      ...nothing,
      events: [{ id: "1", type: "a`b", at: "2026-11-20T08:00:00Z", line: "``x``" }],
    })
    expect(markdown).toContain("`````text\nDo\n```\n# not a heading\n````\n`````")
    expect(markdown).toContain("# Work: ` # Not a heading [x](javascript:alert(1)) `")
    expect(markdown).toContain("- ` 1 ` 2026-11-20T08:00:00Z `` a`b `` ``` ``x`` ```")
  })

  it("says which part could not be read", () => {
    const markdown = writeWorkExport({ work, ...nothing, approvals: { unread: "Forbidden: scope missing" } })
    expect(markdown).toContain("Couldn't be read: ` Forbidden: scope missing `")
  })
})
