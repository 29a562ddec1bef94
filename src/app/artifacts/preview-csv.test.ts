import { describe, expect, it } from "vitest"
import { readTable } from "./preview-csv.tsx"

describe("a table", () => {
  it("has its header, and cells as they are", () => {
    expect(readTable('id;"na;me"\r\n1;"two\nlines"\r\n', true)).toMatchObject({
      header: ["id", "na;me"],
      rows: [["1", "two\nlines"]],
      columnsLeftOut: 0,
    })
  })

  it("of a beginning leaves out the last record, which may be incomplete", () => {
    expect(readTable("a,b\n1,2\n3,", false).rows).toEqual([["1", "2"]])
  })

  it("keeps rows that are longer than the header, up to a hundred columns", () => {
    expect(readTable("a\n1,2,3\n", true).header).toEqual(["a", "", ""])
    expect(readTable(`${"x,".repeat(150)}x\n`, true)).toMatchObject({ columnsLeftOut: 51 })
  })
})
