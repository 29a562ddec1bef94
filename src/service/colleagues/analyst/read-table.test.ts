import { describe, expect, test } from "vitest"
import { readTable } from "./read-table.ts"
import type { Table } from "./table.ts"

function csv(content: string, name = "file.csv", mediaType = "text/csv"): Table {
  const table = readTable({ name, mediaType, content })
  if ("reason" in table) throw new Error(table.reason)
  return table
}

const json = (value: unknown): Table =>
  csv(typeof value === "string" ? value : JSON.stringify(value), "file.json", "application/json")

function reason(content: string, mediaType = "text/csv", name = "file"): string {
  const read = readTable({ name, mediaType, content })
  return "reason" in read ? read.reason : ""
}

const names = ({ columns }: Table): string[] => columns.map(({ name }) => name)
const texts = ({ columns }: Table): string[][] => columns.map(({ cells }) => cells.map(({ text }) => text))
const kinds = ({ columns }: Table): string[][] => columns.map(({ cells }) => cells.map(({ kind }) => kind))

describe("CSV", () => {
  test.each([
    ["commas", "a,b\n1,x\n2,y\n"],
    ["semicolons", "a;b\n1;x\n2;y\n"],
    ["tabs", "a\tb\n1\tx\n2\ty\n"],
    ["vertical bars", "a|b\n1|x\n2|y\n"],
    ["a byte order mark", "\uFEFFa,b\n1,x\n2,y\n"],
    ["CRLF", "a,b\r\n1,x\r\n2,y\r\n"],
    ["CR alone", "a,b\r1,x\r2,y"],
    ["blank lines", "a,b\n\n1,x\n\n2,y\n\n"],
    ["quotation marks", '"a","b"\n"1","x"\n"2","y"'],
  ])("is read with %s", (_, content) => {
    const table = csv(content)
    expect(names(table)).toEqual(["a", "b"])
    expect(texts(table)).toEqual([
      ["1", "2"],
      ["x", "y"],
    ])
    expect(table.rows).toBe(2)
  })

  test.each([
    [
      "a .tsv file with commas",
      "Name, Vorname\tOrt\nMuster, Anna\tBonn\n",
      "name.tsv",
      ["Name, Vorname", "Ort"],
      "tabs",
    ],
    ["Excel's first line", "sep=;\nName;Betrag\nMuster;1.234,50\n", "sep.csv", ["Name", "Betrag"], "semicolons"],
    ["a comma a line", "Artikel;Preis, netto\nNagel;1,50\n", "preis.csv", ["Artikel", "Preis, netto"], "semicolons"],
  ])("has the right separator with %s", (_, content, name, columns, separator) => {
    const table = csv(content, name, name.endsWith("tsv") ? "text/tab-separated-values" : "text/csv")
    expect(names(table)).toEqual(columns)
    expect(table.format).toBe(`CSV with ${separator}`)
  })

  test("is refused when only the line that names the separator is there", () => {
    expect(reason("sep=;\n")).toContain("no columns")
  })

  test("keeps line ends, delimiters and quotation marks inside a quoted cell", () => {
    expect(texts(csv('a,b\n"one\ntwo, ""three""",2\n'))).toEqual([['one\ntwo, "three"'], ["2"]])
  })

  test("has the kind of each cell", () => {
    const cells = [
      "1",
      "-2",
      "3.5",
      ".5",
      "1e3",
      "1,234",
      "1e999",
      "Infinity",
      "true",
      "NO",
      "2024-02-29",
      "2024-02-30",
      " ",
      "x",
    ]
    const expected = "integer integer number number number text text text boolean boolean date text missing text"
    expect(kinds(csv(`a\n${cells.map((cell) => `"${cell}"`).join("\n")}`))[0]?.join(" ")).toBe(expected)
  })

  test("gets a unique name for each column, with a note for each changed name", () => {
    const table = csv("a,a,,__proto__,constructor,a (2)\n1,2,3,4,5,6\n")
    expect(names(table)).toEqual(["a", "a (2)", "column 3", "__proto__", "constructor", "a (2) (2)"])
    expect(table.notes).toHaveLength(3)
  })

  test("loses a few ragged rows, which a note names", () => {
    const rows = Array.from({ length: 20 }, (_, index) => `${index},x`)
    const table = csv(`a,b\n${rows.join("\n")}\n7\n8,9,10\n`)
    expect(table.rows).toBe(20)
    expect(table.notes).toEqual([
      "2 rows were left out, because they don't have exactly 2 fields: row 21 (1 field) and row 22 (3 fields).",
    ])
  })

  test.each([
    ["blanks", " \n\n", "only spaces"],
    ["one line of prose", "This is no table", "no common separator"],
    ["ragged rows", "a,b\n1,2,3\n4", "have a different number"],
    ["an open quotation mark", 'a,b\n1,2\n"3,4\n5,6', "A quotation mark near row 2 is never closed"],
    ["an open quotation mark in the header", 'a,"b\n1,2', "A quotation mark in its header is never closed"],
    ["NUL characters", "a,b\n\u0000,2", "NUL characters"],
    ["thousands of columns", "a,".repeat(1200), "1201 fields"],
  ])("is refused for %s", (_, content, said) => {
    expect(reason(content)).toContain(said)
  })

  test("with a header alone is a table without rows", () => {
    expect(csv("a,b\n")).toMatchObject({ rows: 0, columns: [{ name: "a" }, { name: "b" }] })
  })

  test("is recognised in plain text with equal numbers of fields, and not in prose or Markdown", () => {
    expect(names(csv("a,b\n1,2\n", "notes.txt", "text/plain"))).toEqual(["a", "b"])
    expect(names(csv("a\n1\n", "notes.tsv", "text/plain"))).toEqual(["a"])
    expect(reason("Some words.\nAnd more words.\n", "text/plain")).toContain("no common separator")
    expect(reason("# Heading\n", "text/markdown")).toContain("The editor")
  })

  test("with JSON content is read as JSON", () => {
    expect(csv('[{"a": 1}]').format).toBe("JSON, a list of objects")
  })
})

describe("JSON", () => {
  test.each([
    [
      "a list of objects",
      [
        { a: 1, b: "x" },
        { a: 2, b: "y" },
      ],
    ],
    [
      "a list inside an object",
      {
        version: 1,
        data: [
          { a: 1, b: "x" },
          { a: 2, b: "y" },
        ],
      },
    ],
  ])("is read as %s", (_, value) => {
    const table = json(value)
    expect(names(table)).toEqual(["a", "b"])
    expect(texts(table)).toEqual([
      ["1", "2"],
      ["x", "y"],
    ])
  })

  test("has empty cells for missing keys, and JSON text for objects and lists", () => {
    const table = json('[{ "a": { "b": 1.50, "c": [9007199254740993] } }, { "e": null }]')
    expect(names(table)).toEqual(["a", "e"])
    expect(texts(table)).toEqual([
      ['{"b":1.50,"c":[9007199254740993]}', ""],
      ["", ""],
    ])
  })

  test("keeps integers beyond 2^53 apart, and numbers in quotation marks as text", () => {
    const table = json('[{"id": 9007199254740993, "n": "12"}, {"id": 9007199254740992, "n": "13"}]')
    expect(texts(table)[0]).toEqual(["9007199254740993", "9007199254740992"])
    expect(kinds(table)[1]).toEqual(["text", "text"])
  })

  test("may have the key __proto__", () => {
    expect(names(json('[{"__proto__": 1, "constructor": 2, "toString": 3}]'))).toEqual([
      "__proto__",
      "constructor",
      "toString",
    ])
  })

  test.each([
    ["broken text", "[1,", "not valid JSON"],
    ["a single value", "7", "not a list of objects"],
    ["an empty list", "[]", "not a list of objects"],
    ["a list of lists", "[[1, 2]]", "not a list of objects"],
    ["a mixed list", '[1, {"a": 2}]', "not a list of objects"],
    ["objects without a key", "[{}]", "it has no values"],
    ["deep nesting", "[".repeat(50_000), "It is "],
    [
      "objects without a common key",
      JSON.stringify(Array.from({ length: 1500 }, (_, index) => ({ [`k${index}`]: 1 }))),
      "1500 different keys",
    ],
  ])("is refused for %s", (_, content, said) => {
    expect(reason(content, "application/json")).toContain(said)
  })
})
