import { expect, test } from "vitest"
import { REPORTED_OPERATIONS } from "../../../contract/desk-work.ts"
import { parseCsv } from "../testing/parse-csv.ts"
import { csvWriter } from "./report-csv.ts"
import { htmlWriter } from "./report-html.ts"
import { SECTIONS } from "./report-lines.ts"
import { formatDuration } from "./report-texts.ts"

const [decisions] = SECTIONS
if (decisions === undefined) throw new Error("no section")

const HOSTILE = [
  '=HYPERLINK("http://evil.example","click")',
  "+1+1",
  "-2+3+cmd|' /C calc'!A0",
  "@SUM(1+9)*cmd|' /C calc'!A0",
  "\t=1+1",
  "\r=1+1",
  "\0=1+1",
  "\u200B=1+1",
  'quote " and "" more',
  "comma, semicolon; tab\t",
  "two\nlines\r\nthree",
  "\u202Egnp.exe",
  "<script>alert(1)</script>&amp;",
  "</table><img src=x onerror=alert(1)>",
  "\u{D800}",
  "",
]

test.each(HOSTILE)("CSV keeps %j in one cell that no program takes for a formula", (text) => {
  const written = csvWriter.lines(decisions, [{ row: 1, summary: text, destination: "next" }])
  const [record, ...others] = parseCsv(written)
  expect(others).toEqual([])
  const at = record?.findIndex((cell) => cell === "next") ?? 0
  const cell = record?.[at - 1] ?? ""
  expect(cell).not.toMatch(/^[=+\-@\t\r]/)
  // Apart from the apostrophe and hidden characters the text is as it was.
  const seen = text.replaceAll("\r\n", "\n")
  if (/^[\n\t\x20-\x7E]*$/.test(seen)) expect(cell).toBe(/^[=+\-@\t]/.test(seen) ? `'${seen}` : seen)
  else expect(cell).toMatch(/\[U\+[0-9A-F]{4}\]/)
  expect(cell).not.toMatch(/[\0\u200B\u202E]/)
})

test("CSV has as many cells in each line, and ends each with CR LF", () => {
  const written =
    csvWriter.begin("A title, with a comma") +
    csvWriter.lines(decisions, [{ row: 1, version: 9_007_199_254_740_993n, tookSeconds: 0 }]) +
    csvWriter.totals("person", [{ name: "=Ada", id: "ada", counts: new Map([["approved", 2]]) }]) +
    csvWriter.note("a note") +
    csvWriter.chain({ head: { sequence: 7, hash: "0f" }, rows: 7, faults: ["Row 3 was changed."], at: "2026-01-31" })
  const [title, header, ...lines] = parseCsv(written.slice(1))
  expect(written.startsWith("\u{FEFF}")).toBe(true)
  expect(title?.[0]).toBe("A title, with a comma")
  const cell = (line: readonly string[], name: string) => line[header?.indexOf(name) ?? -1]
  expect(lines.every((line) => line.length === header?.length) && title?.length === header?.length).toBe(true)
  expect(written.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/)
  expect(lines.map((line) => [line[0], cell(line, "row"), cell(line, "version"), cell(line, "count")])).toEqual([
    ["decision", "1", "9007199254740993", ""],
    ["total by person", "", "", "2"],
    ["note", "", "", ""],
    ["chain", "7", "", "7"],
    ["chain fault", "", "", ""],
  ])
  expect(lines.map((line) => cell(line, "person"))[1]).toBe("'=Ada")
})

test.each(HOSTILE)("HTML shows %j as text, without a hidden character", (text) => {
  const parts = [
    htmlWriter.begin(text),
    htmlWriter.lines(decisions, [{ summary: text, person: text, personId: text, rules: text, asked: text }]),
    htmlWriter.totals("colleague", [{ name: text, id: undefined, counts: new Map([["approved", 2]]) }]),
    htmlWriter.note(text),
  ].join("")
  const tags = new Set([...parts.matchAll(/<\/?([a-z0-9]+)/g)].map(([, name]) => name))
  const own = "html meta title style h1 h2 table thead tbody tr th td div span code mark p".split(" ")
  expect([...tags].filter((name) => !own.includes(name ?? ""))).toEqual([])
  expect(parts).not.toMatch(/[\0\u200B\u202E\r]|\p{Cs}| on\w+=(?!alert)/u)
  if (text.includes("<"))
    expect(parts).toContain(text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"))
})

test("HTML has at most 50 marks in one text", () => {
  const written = htmlWriter.note("x\u200By\u200C".repeat(1_000))
  expect(written.match(/<mark>/g)).toHaveLength(50)
  expect(written.match(/\[U\+200C\]/g)).toHaveLength(975)
})

test.each([
  [0, "0 seconds"],
  [1, "1 second"],
  [61, "1 minute 1 second"],
  [3_600, "1 hour"],
  [3_605, "1 hour"],
  [90_061, "1 day 1 hour"],
  [172_800, "2 days"],
])("%i seconds are %s", (seconds, words) => expect(formatDuration(seconds)).toBe(words))

test("the sections are about the operations that a report can be filtered by", () => {
  expect(SECTIONS.flatMap(({ operations }) => operations)).toEqual(REPORTED_OPERATIONS)
})
