/** Searches the source for text from outside that reaches the screen, an attribute or a notification without `OutsideText` or `writeHidden`. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import {
  APPROVAL_MEMBERS,
  ARTIFACT_MEMBERS,
  CLARIFICATION_MEMBERS,
  UPLOAD_MEMBERS,
  WORK_MEMBERS,
} from "./client/check-resource.ts"

const SOURCE = import.meta.dirname
const sources = globSync("**/*.{ts,tsx}", { cwd: SOURCE })
  .filter((file) => !file.includes(".test."))
  .map((file) => ({ file, text: readFileSync(join(SOURCE, file), "utf8") }))

const members = [WORK_MEMBERS, APPROVAL_MEMBERS, CLARIFICATION_MEMBERS, ARTIFACT_MEMBERS, UPLOAD_MEMBERS].flatMap(
  (table) => Object.entries<string>(table).flatMap(([name, kind]) => (kind.startsWith("string") ? [name] : [])),
)

/** The components that show hidden characters, or pass their text to such a component. */
const SHOWING = ["OutsideText", "ChangedText", "ChangedFact", "HiddenName", "Address"]

/** Attributes with our own words, which need no check. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  "overview/what-waits.tsx: name": "made with writeHidden above",
  "ui/virtual-list.tsx: label": "the name of a list in the source",
  "ui/virtual-rows.tsx: label": "the name of a list in the source",
  "ui/list-fields.tsx: name": "the name of a control in the source",
  "ui/copy-button.tsx: what && `${label} ${what}`": "the name of a field in the source",
  "overview/figure.tsx: `${name} as a table`": "the name of a figure in the source",
  "shell/menu.tsx: countLabel(name, waiting)": "the name of a page in the source, and a number",
  "shell/menu.tsx: name": "the name of a tool in the source",
  "shell/more-panel.tsx: label": "the name of a tool in the source",
  "inbox/decision-strip.tsx: name": "Previous or Next",
  "ui/page-parts.tsx: label": "the name of a region in the source",
  "approvals/declined-letter.tsx: `${name}, same in both letters`": "the name of a part of a letter in the source",
  "approvals/declined-letter.tsx: `${name}, ${of}`": "the names of a part and of a letter in the source",
  "artifacts/preview-text.tsx: label": "the kind of a preview in the source, or made with writeHidden",
}

it("has no aria-label, alt or title of a drawing with a raw text from outside", () => {
  const found = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/(?:aria-label|\balt)=\{((?:[^{}]|\{[^{}]*\})*)\}|<title>\{([^{}]*)\}<\/title>/g)].map(
      (match) => `${file}: ${match[1] ?? match[2] ?? ""}`,
    ),
  )
  expect(found.length).toBeGreaterThan(9)
  expect(found.filter((each) => !each.includes("writeHidden(") && !Object.hasOwn(OWN_WORDS, each))).toEqual([])
  expect(Object.keys(OWN_WORDS).filter((each) => !found.includes(each))).toEqual([])
})

it("has no member of a resource as the direct text of another element, or in a tooltip", () => {
  const member = String.raw`\{(?!words\.)\w+(?:\.\w+)*\.(?:${members.join("|")})\}`
  const children = new RegExp(String.raw`<(\w+)(?:\s[^<>]*)?>\s*${member}`, "g")
  const attributes = new RegExp(String.raw`\b(?:title|alt|placeholder|aria-label)=${member}`, "g")
  const shown = sources.flatMap(({ file, text }) =>
    [...text.matchAll(children)].map(([found, parent = ""]) => ({ file, found, parent })),
  )
  expect(shown.length).toBeGreaterThan(9)
  expect(shown.filter(({ parent }) => !SHOWING.includes(parent))).toEqual([])
  expect(
    sources.flatMap(({ file, text }) => [...text.matchAll(attributes)].map(([found]) => `${file}: ${found}`)),
  ).toEqual([])
})

it("uses no raw text from outside in a notification or a file name", () => {
  const notifying = sources.flatMap(({ text }) => [...text.matchAll(/new Notification\([^)]*body: ([^,\n]*)/g)])
  expect(notifying.map(([, body]) => body)).toEqual(["writeHidden(item.title)"])
  // The files of the record are named by a date.
  const saving = sources.filter(({ file, text }) => / saveFile\(/.test(text) && !file.startsWith("record/"))
  expect(saving.length).toBeGreaterThan(1)
  expect(saving.filter(({ text }) => !text.includes("safeFileName(")).map(({ file }) => file)).toEqual([])
})
