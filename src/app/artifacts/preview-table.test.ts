import { describe, expect, it } from "vitest"
import { readTable } from "./preview-table.ts"

describe("a table", () => {
  it("has its header, and cells as they are", () => {
    expect(readTable('id;"na;me"\r\n1;"two\nlines"\r\n', true)).toMatchObject({
      header: ["id", "na;me"],
      rows: [["1", "two\nlines"]],
      rowCount: 1,
      columnCount: 2,
      unclosedRow: undefined,
    })
  })

  it("of a beginning leaves out the last record, which may be incomplete", () => {
    expect(readTable("a,b\n1,2\n3,", false).rows).toEqual([["1", "2"]])
  })

  it("keeps rows that are longer than the header, up to a hundred columns", () => {
    expect(readTable("a\n1,2,3\n", true).header).toEqual(["a", "", ""])
    expect(readTable(`${"x,".repeat(150)}x\n`, true)).toMatchObject({ columnCount: 151, header: { length: 100 } })
  })

  it("has the columns that its first line, its type or its name says", () => {
    expect(readTable("sep=;\nName;Betrag\nMuster;1.234,50\n", true)).toMatchObject({
      header: ["Name", "Betrag"],
      rowCount: 1,
    })
    expect(readTable("Name, Vorname\tOrt\nMuster, Anna\tBonn\n", true, { name: "name.tsv" }).header).toEqual([
      "Name, Vorname",
      "Ort",
    ])
    expect(readTable("Artikel;Preis, netto\nNagel;1,50\nBrett;12,75\n", true).rows[0]).toEqual(["Nagel", "1,50"])
  })

  it("names the row whose quotation mark is never closed", () => {
    expect(readTable('a,b\n1,2\n"3,4\n5,6\n', true)).toMatchObject({ unclosedRow: 2, rowCount: 2 })
    expect(readTable('"a,b\n1,2\n', true)).toMatchObject({ unclosedRow: 0, rowCount: 0 })
    expect(readTable('a,b\n1,2\n3,"4', false).unclosedRow).toBeUndefined()
  })

  it("has only as many rows and characters of a cell as a page can draw, and counts them all", () => {
    const table = readTable("a,b\n".repeat(300_001), true)
    expect(table.rowCount).toBe(300_000)
    expect(table.rows.length).toBe(100_000)
    expect(readTable(`x\n${"\u202E".repeat(10_000)}\n`, true).rows[0]?.[0]?.length).toBeLessThan(2_000)
  })
})
