import { Lexer, walkTokens } from "marked"
import Papa from "papaparse"
import { describe, expect, test } from "vitest"
import { visible } from "../wording.ts"
import { chartSvg } from "./chart.ts"
import { columnsCsv } from "./columns-csv.ts"
import { findingsOf } from "./finding.ts"
import { groupBy } from "./group.ts"
import type { Grouped, Results } from "./result-types.ts"
import { readTable } from "./read-table.ts"
import { reportMarkdown } from "./report.ts"
import { profileTable } from "./column-profile.ts"

function grouped(content: string, by: number, name = "file.csv"): Grouped {
  const table = readTable({ name, mediaType: "text/csv", content })
  if ("reason" in table) throw new Error(table.reason)
  const columns = profileTable(table)
  const column = columns[by]
  if (!column) throw new Error("there is no such column")
  const choice = { column, how: "You chose it.", understood: true }
  return {
    table,
    columns,
    findings: findingsOf(table, columns),
    recommendation: undefined,
    choice,
    grouping: groupBy(columns, column),
  }
}

const results = (one: Grouped, title = "A title"): Results => ({
  title,
  objective: "Profile",
  demonstration: true,
  grouped: [one],
  unreadable: [],
  answer: "yes",
})

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[click](javascript:alert(1))",
  "![x](https://evil.example/p.png)",
  "https://evil.example/x",
  "www.evil.example",
  "me@evil.example",
  "a | b",
  "**bold** _em_ `code`",
  "# heading",
  "- item",
  "1. item",
  "&lt;b&gt;",
  "a\u202Eb\u0007",
  '"]]><svg onload=x>',
]
const hostileFile = `name,n\n${[...HOSTILE, ...HOSTILE].map((value, index) => `"${value.replaceAll('"', '""')}",${index}`).join("\n")}\n`

describe("hostile texts", () => {
  test.each(HOSTILE)("%j becomes no markup of the report", (value) => {
    const ours = reportMarkdown(results(grouped("plain,n\nplain,1\nplain,2\n", 0, "plain"), "plain"))
    const theirs = reportMarkdown(
      results(grouped(`${quote(value)},n\n${quote(value)},1\n${quote(value)},2\n`, 0, value), value),
    )
    expect(tokensOf(theirs)).toEqual(tokensOf(ours))
    expect(theirs).not.toContain("\u202E")
  })

  test("are escaped in the chart, which has no script, link or image", () => {
    const svg = chartSvg([grouped(hostileFile, 0, "<b>&.csv")])
    expect(svg).not.toMatch(/<(?!\/?(?:svg|title|style|rect|text|line)\b)/)
    expect(svg.match(/<[^>]*>/g)?.filter((tag) => /\s(?:on\w+|href|src)=/i.test(tag))).toEqual([])
    expect(svg).not.toContain("\u202E")
    expect(svg).toContain("&lt;img")
  })

  test("are exact in columns.csv, but no spreadsheet runs them", () => {
    const formulas = ['=HYPERLINK("http://x")', "+1+1", "@SUM(A1)", "-2+3", "-5", 'plain, with "quotes"']
    const csv = columnsCsv([grouped(`f\n${formulas.map(quote).join("\n")}\n`, 0)])
    const [row] = Papa.parse<Record<string, string>>(csv, { header: true }).data
    expect([1, 2, 3, 4, 5].map((index) => row?.[`frequent_${index}`])).toEqual([
      '\'=HYPERLINK("http://x")',
      "'+1+1",
      "'@SUM(A1)",
      "'-2+3",
      "-5",
    ])
  })
})

/** The types of all tokens in order. A hostile text in place of a plain text must not change them. */
function tokensOf(markdown: string): string[] {
  const types: string[] = []
  void walkTokens(new Lexer({ gfm: true }).lex(markdown), ({ type }) => {
    if (type !== "text" && type !== "escape") types.push(type)
  })
  return types
}

function quote(value: string): string {
  return `"${value.replaceAll('"', '""')}"`
}

test("columns.csv has a line for each column, with figures that read back as the same doubles", () => {
  const one = grouped("a,b\n0.1,x\n0.2,x\n0.7,y\n", 1)
  const rows = Papa.parse<Record<string, string>>(columnsCsv([one]).trimEnd(), { header: true }).data
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatchObject({
    input: "file.csv",
    column: "a",
    position: "1",
    type: "number",
    rows: "3",
    missing: "0",
    distinct: "3",
    min: "0.1",
    max: "0.7",
  })
  expect(Number(rows[0]?.["mean"])).toBe(one.columns[0]?.numbers?.mean)
  expect(rows[1]).toMatchObject({
    column: "b",
    type: "text",
    mean: "",
    frequent_1: "x",
    frequent_1_count: "2",
    frequent_3: "",
  })
})

test("a chart draws negative, missing and equal figures within its frame", () => {
  const svg = chartSvg([grouped("k,v\na,-10\na,-20\nb,30\nc,\n", 0)])
  const widths = [...svg.matchAll(/<rect class="bar[^"]*" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(
    ([, x, width]) => Number(x) + Number(width),
  )
  expect(widths.length).toBeGreaterThan(4)
  expect(Math.max(...widths)).toBeLessThan(760)
  expect(svg).toContain("no figure")
})

test("a table without rows is reported and drawn without a figure", () => {
  const one = { ...grouped("a,b\n", 0), choice: undefined, grouping: undefined }
  expect(reportMarkdown(results(one))).toContain("no rows below it")
  expect(chartSvg([one])).toContain("nothing to draw")
})

test("a file with each kind of fault has a finding for each", () => {
  const rows = ["1,NA,1.234,x", "1,NA,1.234,x", '2,7,"1,234",x', "3,8,,x", "4,9,5,x", "900,10,6,x"]
  const kinds = grouped(`n,m,t,c\n${rows.join("\n")}\n`, 0).findings.map(({ kind }) => kind)
  expect(kinds).toEqual([
    "duplicate_rows",
    "missing_values",
    "mixed_types",
    "outliers",
    "numbers_as_text",
    "constant_columns",
  ])
})

test("an invisible character becomes its code point, and a long text is cut between grapheme clusters", () => {
  expect(visible("a\u202Eb\u0000c\nd")).toBe("a⟨U+202E⟩b⟨U+0000⟩c d")
  expect(visible("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 2)).toBe("👩‍👩‍👧…")
})
