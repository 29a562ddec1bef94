/** What the app's readers of text from outside promise, tried with texts that are made of what each reader knows, and of any characters. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fold } from "../contract/find-words.ts"
import { plainForm } from "../contract/same-text.ts"
import { search } from "../platform/testing/search.ts"
import {
  APPROVAL_MEMBERS,
  ARTIFACT_MEMBERS,
  CLARIFICATION_MEMBERS,
  readApproval,
  readArtifact,
  readClarification,
  readWork,
  WORK_MEMBERS,
} from "./client/check-resource.ts"
import { readTable } from "./artifacts/preview-table.ts"
import { readContentHash } from "./artifacts/read-artifact.ts"
import { readTimeLimit } from "./new-work/time-limit.ts"
import { disguisedLabels, mixedScripts } from "./ui/deceptive-text.ts"
import { hasTooManyMarks, LINE_MARKS_MAX, MARKS_MAX, splitHidden, writeHidden } from "./ui/hidden-characters.ts"
import { isJson, layOutJson, onOneLine } from "./ui/json-text.ts"
import { archivePaths, safeArchivePath, safeFileName } from "./ui/save-file.ts"

/** Texts made of these pieces and of any characters. */
const made = (...pieces: readonly string[]) =>
  fc
    .array(
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary", maxLength: 3 })),
      {
        maxLength: 60,
      },
    )
    .map((parts) => parts.join(""))

const letter = made(
  "a",
  " ",
  "\n",
  "\r\n",
  "\r",
  "\u200B",
  "\u202E",
  "\u0301",
  "\u{1F469}\u200D",
  "\uD83D",
  "а.com",
  "\0",
)
const path = made("a", ".", "..", "/", "\\", "CON", "nul.txt", ".tar.gz", " ", "\u202E", "\uD800", "é", "e\u0301", ":")
const json = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value, undefined, "\t")),
)
const table = made("a", ",", ";", "\t", '"', '""', "\n", "\r\n", "1", "=", "\uFEFF")
const duration = made("1", "90", ":", "h", " min", "s", ".", ",", "hours", " ", "-", "e3", "٣")
const contentHash = made("sha256:", "sha-512=", "ab".repeat(32), "0", ":", "=", "A")

/** Characters that show nothing, or change what stands around them. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/u

/** Rows with the same number of cells, and what says how they are separated. `cell` has another separator, which is no guess where one is named. */
const separated = fc
  .record({
    rows: fc.integer({ min: 2, max: 5 }).chain((columns) =>
      fc.array(fc.array(fc.constantFrom("1", "a", "x y"), { minLength: columns, maxLength: columns }), {
        minLength: 2,
        maxLength: 6,
      }),
    ),
    says: fc.constantFrom("name", "type", "first line", undefined),
    separator: fc.constantFrom(",", ";", "\t", "|"),
    cell: fc.constantFrom("", ",5", ";5", ",,"),
  })
  .map((each) => (each.says === "name" || each.says === "type" ? { ...each, separator: "\t" } : each))
  .filter(({ cell, separator }) => !cell.includes(separator))

/** The resources of the service that the app reads, and their members. */
const RESOURCES = [
  { members: WORK_MEMBERS, read: readWork },
  { members: CLARIFICATION_MEMBERS, read: readClarification },
  { members: APPROVAL_MEMBERS, read: readApproval },
  { members: ARTIFACT_MEMBERS, read: readArtifact },
]

type Property = (options: { readonly runs: number }) => Promise<void>

const PROPERTIES: Readonly<Record<string, Property>> = {
  "hidden characters are shown, and nothing else of a text changes": (options) =>
    search(letter, options, (text) => {
      const parts = splitHidden(text)
      expect(parts.filter((part) => "hidden" in part).length).toBeLessThanOrEqual(MARKS_MAX)
      expect(splitHidden(text, LINE_MARKS_MAX).filter((part) => "hidden" in part).length).toBeLessThanOrEqual(
        LINE_MARKS_MAX,
      )
      expect(writeHidden(text)).not.toMatch(HIDDEN)
      expect(writeHidden(writeHidden(text))).toBe(writeHidden(text))
      expect(hasTooManyMarks([text])).toBe(false)
    }),
  "a text in several scripts or with a disguised address is read": (options) =>
    search(letter, options, (text) => void [mixedScripts(text), disguisedLabels(text)]),
  "a text is compared in the same form however often it is folded": (options) =>
    search(letter, options, (text) => {
      expect(fold(fold(text))).toBe(fold(text))
      expect(plainForm(plainForm(text))).toBe(plainForm(text))
    }),
  "JSON means the same in lines and on one line": (options) =>
    search(json, options, (text) => {
      expect(isJson(text)).toBe(true)
      for (const written of [layOutJson(text), onOneLine(text)]) expect(JSON.parse(written)).toEqual(JSON.parse(text))
      expect(onOneLine(text)).not.toMatch(/[\r\n]/)
    }),
  "a name leads to no other folder": (options) =>
    search(path, options, (text) => {
      expect(safeFileName(text)).not.toMatch(/[/\\]|^\.|\p{Cc}|\p{Cs}/u)
      expect(safeFileName(text)).not.toBe("")
      expect(Buffer.byteLength(safeFileName(text))).toBeLessThanOrEqual(200)
      for (const part of safeArchivePath(text).split("/")) expect(part).not.toMatch(/\\|^\.|^$|\p{Cc}|\p{Cs}/u)
    }),
  "no two files of an archive have the same path": (options) =>
    search(fc.array(path, { maxLength: 6 }), options, (texts) => {
      const paths = archivePaths(texts)
      expect(paths).toHaveLength(texts.length)
      expect(new Set(paths.map((each) => each.toLowerCase())).size).toBe(texts.length)
    }),
  "a table has a width for each column, and no hidden character": (options) =>
    search(fc.tuple(table, fc.boolean()), options, ([text, whole]) => {
      const { header, rows, widths, rowCount } = readTable(text, whole)
      expect(widths.length).toBeGreaterThanOrEqual(Math.max(0, ...[header, ...rows].map((row) => row.length)))
      expect(rows.length).toBeLessThanOrEqual(rowCount)
      expect([header, ...rows].flat().join("")).not.toMatch(HIDDEN)
    }),
  "a table is split by the separator that its name, its media type, its first line or all its rows have": (options) =>
    search(separated, options, ({ rows, separator, says, cell }) => {
      const others = says === undefined ? rows : rows.map(([first = "", ...rest]) => [`${first}${cell}`, ...rest])
      const lines = others.map((row) => row.join(separator)).join("\n")
      const hints =
        says === "name" ? { name: "a.tsv" } : says === "type" ? { mediaType: "text/tab-separated-values" } : {}
      const { columnCount } = readTable(says === "first line" ? `sep=${separator}\n${lines}` : lines, true, hints)
      expect(columnCount).toBe(rows[0]?.length)
    }),
  "a resource has the members of openapi.yaml, or says that it cannot be read": (options) =>
    search(
      fc.tuple(fc.constantFrom(...RESOURCES), fc.nat(), fc.jsonValue()),
      options,
      ([{ members, read }, at, value]) => {
        const whole = Object.fromEntries(
          Object.entries(members).map(([name, kind]) => [
            name,
            { string: "a", bigint: 1n, boolean: true }[kind.replace("?", "")],
          ]),
        )
        const names = Object.keys(members)
        const changed = names[at % names.length] ?? ""
        const found = read({ ...whole, [changed]: value })
        const kindOf = (name: string) => Reflect.get(members, name)
        for (const [name, kept] of Object.entries(found ?? {}))
          if (name in members) expect(kindOf(name)).toMatch(new RegExp(`^${typeof kept}\\??$`))
        const isOptional = String(kindOf(changed)).endsWith("?")
        if (value === null && isOptional) expect(found).toEqual({ ...whole, [changed]: undefined })
      },
    ),
  "a time limit is a whole number of seconds up to a day, or refused": (options) =>
    search(duration, options, (text) => {
      const limit = readTimeLimit(text)
      if (limit !== undefined && "seconds" in limit) {
        expect(limit.seconds).toBeGreaterThanOrEqual(1)
        expect(limit.seconds).toBeLessThanOrEqual(86_400)
        expect(limit.seconds % 1).toBe(0)
      }
    }),
  "a hash is read whole or not at all": (options) =>
    search(contentHash, options, (text) => {
      const read = readContentHash(text)
      if (read !== undefined) expect(text.toLowerCase()).toContain(read.digest)
    }),
}

describe("a reader of text from outside", () => {
  it.each(Object.entries(PROPERTIES))("%s", (_, holds) => holds({ runs: 300 }))
})
