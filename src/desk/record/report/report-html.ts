/** Writes a report as one HTML page without scripts or other files, which prints on A4. */
import { hash } from "node:crypto"
import { countOf } from "../../../contract/plural.ts"
import { escapeHtml } from "../../../platform/http/send.ts"
import type { ReportLine, SectionName } from "./report-lines.ts"
import { formatDuration, splitHidden } from "./report-texts.ts"
import { TOTAL_KINDS, type Total } from "./report-totals.ts"
import type { ReportWriter } from "./report-writer.ts"

const STYLE = `
@page { size: A4 landscape; margin: 12mm }
:root { color-scheme: light; font: 10pt/1.35 system-ui, sans-serif }
body { margin: 12px; color: #1a1a1a; background: #fff }
h1 { font-size: 14pt; margin: 0 0 4mm; overflow-wrap: anywhere }
h2 { font-size: 12pt; margin: 6mm 0 2mm; break-after: avoid }
table { border-collapse: collapse; table-layout: fixed; width: 100% }
thead { display: table-header-group }
tr { break-inside: avoid }
th, td { border: 0.5pt solid #999; padding: 1mm 1.5mm; text-align: left; vertical-align: top; overflow-wrap: anywhere; font-size: 8pt }
th { background: #eee }
td div { white-space: pre-wrap }
td.number { text-align: right }
small, .label { color: #555 }
code { font: 7pt/1.3 ui-monospace, monospace }
mark { background: #ffe9a8; color: #5c3b00; font-size: 85%; border: 0.5pt solid #b58900 }
.bad { color: #a40000; font-weight: bold }
@media print { body { margin: 0 1px } }
`

/** Allows exactly the style of a report: no script, no other style, no image and no address. */
export const REPORT_POLICY = `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'`

/** A cell has one line for each part. A part that is undefined is left out. */
type Part = { readonly text: string | undefined; readonly label?: string; readonly isCode?: true }
type Column = { readonly name: string; readonly width: number; readonly parts: (line: ReportLine) => readonly Part[] }

const plainPart = (text: string | undefined): Part => ({ text })
const code = (label: string, value: { toString(): string } | undefined): Part => ({
  label,
  text: value?.toString(),
  isCode: true,
})

const when = (name: string): Column => ({ name, width: 11, parts: ({ at }) => [plainPart(at)] })
const person: Column = {
  name: "Person",
  width: 12,
  parts: ({ person: name, personId }) => [plainPart(name), code("", personId)],
}
const evidence: Column = {
  name: "Evidence",
  width: 22,
  parts: ({ row, version, contentHash, work, item }) => [
    code("row", row),
    code("version", version),
    code("content", contentHash),
    code("Work", work),
    code("item", item),
  ],
}
const outcome: Column = {
  name: "Outcome",
  width: 13,
  parts: ({ action, outcome: result, colleague }) => [
    plainPart(action),
    plainPart(result),
    { label: "colleague", text: colleague },
  ],
}
const asked = ({ asked: at, tookSeconds }: ReportLine): readonly Part[] => [
  { label: "asked", text: at },
  { label: "after", text: tookSeconds === undefined ? undefined : formatDuration(tookSeconds) },
]

const COLUMNS: Readonly<Record<SectionName, readonly Column[]>> = {
  decision: [
    { name: "Decided", width: 13, parts: (line) => [plainPart(line.at), ...asked(line)] },
    person,
    outcome,
    {
      name: "Approval",
      width: 27,
      parts: ({ summary, destination, subject, reason }) => [
        plainPart(summary),
        { label: "to", text: destination },
        { label: "subject", text: subject },
        { label: "policy", text: reason },
      ],
    },
    evidence,
    {
      name: "Rules",
      width: 13,
      parts: ({ rules, together }) => [plainPart(rules), { label: "decided", text: together }],
    },
  ],
  answer: [
    { name: "Answered", width: 15, parts: (line) => [plainPart(line.at), ...asked(line)] },
    person,
    outcome,
    { name: "Question", width: 38, parts: ({ summary }) => [plainPart(summary)] },
    evidence,
  ],
  delegation: [
    when("Delegated"),
    person,
    outcome,
    { name: "Title", width: 42, parts: ({ summary }) => [plainPart(summary)] },
    evidence,
  ],
  freeze: [
    when("When"),
    person,
    {
      name: "What",
      width: 27,
      parts: ({ action, colleague }) => [
        plainPart(action),
        colleague === undefined ? plainPart("the whole desk") : { label: "colleague", text: colleague },
      ],
    },
    { name: "Reason", width: 38, parts: ({ summary }) => [plainPart(summary)] },
    { name: "Evidence", width: 12, parts: ({ row }) => [code("row", row)] },
  ],
  absence: [
    when("When"),
    { ...person, name: "Set by" },
    {
      name: "Absence",
      width: 22,
      parts: ({ action, awayPerson, awayPersonId }) => [
        plainPart(action),
        { label: "of", text: awayPerson },
        code("", awayPersonId),
      ],
    },
    { name: "From", width: 12, parts: ({ from }) => [plainPart(from)] },
    { name: "Until", width: 12, parts: ({ until }) => [plainPart(until)] },
    { name: "Stand-in", width: 19, parts: ({ standIn, standInId }) => [plainPart(standIn), code("", standInId)] },
    { name: "Evidence", width: 12, parts: ({ row }) => [code("row", row)] },
  ],
}

export const htmlWriter: ReportWriter = {
  begin: (title) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(REPORT_POLICY)}">
<meta name="viewport" content="width=device-width">
<title>${writeText(title, 0)}</title>
<style>${STYLE}</style>
<h1>${writeText(title)}</h1>
`,
  beginSection: ({ title, name }) =>
    `<h2>${title}</h2>\n<table>\n<colgroup>${COLUMNS[name].map(({ width }) => `<col width="${width}%">`).join("")}</colgroup>\n${writeHead(
      COLUMNS[name].map(({ name: column }) => column),
    )}<tbody>\n`,
  lines: ({ name }, lines) =>
    lines
      .map((line) => `<tr>${COLUMNS[name].map(({ parts }) => `<td>${writeParts(parts(line))}</td>`).join("")}</tr>\n`)
      .join(""),
  endSection: (count) => `</tbody></table>\n<p>${count === 0 ? "None" : countOf(count, "line")}</p>\n`,
  totals: (by, totals) => writeTotals(by === "person" ? "Totals by person" : "Totals by colleague", totals),
  note: (text) => `<p>${writeText(text)}</p>\n`,
  chain: ({ head, rows, faults, at }) =>
    `<h2>The record's chain</h2>\n<p${faults.length === 0 ? "" : ' class="bad"'}>${
      faults.length === 0 ? "Complete" : "Not complete"
    }, verified on ${escapeHtml(at)}: ${countOf(rows, "row")}. Last row ${head.sequence}, hash <code>${escapeHtml(head.hash)}</code></p>\n${faults
      .map((fault) => `<p class="bad">${writeText(fault)}</p>\n`)
      .join("")}`,
  end: () => "</html>\n",
}

const writeHead = (names: readonly string[]) =>
  `<thead><tr>${names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join("")}</tr></thead>`

function writeTotals(title: string, totals: readonly Total[]): string {
  if (totals.length === 0) return ""
  const kinds = TOTAL_KINDS.filter((kind) => totals.some(({ counts }) => counts.has(kind)))
  const rows = totals.map(({ name, id, counts }) => {
    const cells = kinds.map((kind) => `<td class="number">${counts.get(kind) ?? ""}</td>`).join("")
    return `<tr><td>${writeParts([plainPart(name), code("", id)])}</td>${cells}</tr>\n`
  })
  return `<h2>${title}</h2>\n<table>\n${writeHead(["Name", ...kinds])}<tbody>\n${rows.join("")}</tbody></table>\n`
}

function writeParts(parts: readonly Part[]): string {
  return parts
    .filter(({ text }) => text !== undefined && text !== "")
    .map(({ text = "", label, isCode }) => {
      const written = isCode === true ? `<code>${writeText(text)}</code>` : writeText(text)
      return `<div>${label ? `<span class="label">${label}</span> ` : ""}${written}</div>`
    })
    .join("")
}

/** Of one text, this many marks are elements. A page with many more elements doesn't respond. */
const MARKS_MAX = 50

/** A text as HTML, whose hidden characters are shown. After `marksMax` marks, the others are written within the text, in brackets. */
function writeText(text: string, marksMax = MARKS_MAX): string {
  let left = marksMax
  return splitHidden(text)
    .map((piece) => {
      if (!piece.isMark) return escapeHtml(piece.text)
      return left-- > 0 ? `<mark>${escapeHtml(piece.text)}</mark>` : `[${escapeHtml(piece.text)}]`
    })
    .join("")
}
