/**
 * Writes a report as CSV (RFC 4180): one table with the column `section`, which a spreadsheet program can filter. Its first line is the title, padded
 * to the number of columns; the second one has the names of the columns.
 */
import type { ReportLine } from "./report-lines.ts"
import { TOTAL_KINDS } from "./report-totals.ts"
import { writeHidden } from "./report-texts.ts"
import type { ReportWriter } from "./report-writer.ts"

/** The columns after `section`, with their names in the file. */
const COLUMNS: readonly (readonly [member: keyof ReportLine, name: string])[] = [
  ["row", "row"],
  ["at", "at_utc"],
  ["person", "person"],
  ["personId", "person_id"],
  ["action", "action"],
  ["outcome", "outcome"],
  ["colleague", "colleague"],
  ["work", "work"],
  ["item", "item"],
  ["summary", "summary"],
  ["destination", "destination"],
  ["subject", "subject"],
  ["version", "version"],
  ["contentHash", "content_hash"],
  ["reason", "policy_reason"],
  ["asked", "asked_utc"],
  ["tookSeconds", "took_seconds"],
  ["rules", "rules"],
  ["together", "together"],
  ["awayPerson", "away_person"],
  ["awayPersonId", "away_person_id"],
  ["standIn", "stand_in"],
  ["standInId", "stand_in_id"],
  ["from", "from_utc"],
  ["until", "until_utc"],
  ["count", "count"],
  ["hash", "hash"],
]

/** Without it, Excel reads the file in the code page of the machine. */
const BYTE_ORDER_MARK = "\u{FEFF}"

export const csvWriter: ReportWriter = {
  begin: (title) =>
    BYTE_ORDER_MARK +
    toRecord([title, ...COLUMNS.map(() => undefined)]) +
    toRecord(["section", ...COLUMNS.map(([, name]) => name)]),
  beginSection: () => "",
  lines: ({ name }, lines) => lines.map((line) => writeLine(name, line)).join(""),
  endSection: () => "",
  totals: (by, totals) =>
    totals
      .flatMap(({ name, id, counts }) =>
        TOTAL_KINDS.flatMap((action) => {
          const count = counts.get(action)
          const whose = by === "person" ? { person: name, personId: id } : { colleague: name }
          return count === undefined ? [] : [writeLine(`total by ${by}`, { ...whose, action, count })]
        }),
      )
      .join(""),
  note: (summary) => writeLine("note", { summary }),
  chain: ({ head, rows, faults, at }) =>
    writeLine("chain", {
      at,
      action: faults.length === 0 ? "complete" : "not complete",
      row: head.sequence,
      count: rows,
      hash: head.hash,
    }) + faults.map((summary) => writeLine("chain fault", { summary })).join(""),
  end: () => "",
}

const writeLine = (section: string, line: ReportLine) => toRecord([section, ...COLUMNS.map(([member]) => line[member])])

const toRecord = (cells: readonly (string | number | bigint | undefined)[]) => `${cells.map(toCell).join(",")}\r\n`

/** A spreadsheet program takes a text that begins with one of these characters for a formula, even after it has dropped a tab or a return. */
const FORMULA = /^[=+\-@\t\r]/

function toCell(value: string | number | bigint | undefined): string {
  if (typeof value !== "string") return value === undefined ? "" : String(value)
  const text = (FORMULA.test(value) ? "'" : "") + writeHidden(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
