import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findSentences, readSentences } from "./find-sentences.ts"

const textsOf = (code: string) => readSentences("page.tsx", code).map(({ text }) => text)

test("texts of JSX, attributes that are shown, templates and added strings are sentences, code is not", () => {
  expect(textsOf('const page = <p className="a b" title="More">Sent {count} of <b>5</b> files.</p>')).toEqual([
    "Sent … of 5 files.",
    "More",
  ])
  expect(textsOf('const alert = <Alert kept="Your note is kept." id="a b" className="Row Soft" />')).toEqual([
    "Your note is kept.",
  ])
  expect(textsOf('fail(`The file "${name}" is too long.`, "Remove it. " + "Try again.")')).toEqual([
    'The file "…" is too long.',
    "Remove it. Try again.",
  ])
  expect(textsOf('import a from "A b"; read("SELECT id FROM work", "a-b", "two words")')).toEqual([])
  expect(
    textsOf('read(`… LIMIT ${rows}`, "status = ?", "RELEASE effect", "PUT /desk/views", `; Max-Age=${seconds}`)'),
  ).toEqual([])
})

test("a page in HTML, and a text of several words that begins in lower case, are sentences", () => {
  expect(textsOf('page(`<p>The link has expired. <a href="/">Back</a></p>`, "the token has the scope")')).toEqual([
    "The link has expired. Back",
    "the token has the scope",
  ])
  expect(textsOf('style("row soft", "flex items center"); query("… WHERE id = ?")')).toEqual([])
})

test("a text in the hint or the placeholder of a field, or in a constant of hints, is a hint", () => {
  const code =
    'const MAIL_HINTS = { daily: "Once a day." }; const a = <Field label="Day" hint={`At ${x} hours`} placeholder="Noon" />'
  const hints = readSentences("page.tsx", code).filter(({ isHint }) => isHint)
  expect(hints.map(({ text }) => text)).toEqual(["Once a day.", "At … hours", "Noon"])
})

/** The name of a figure and the title of a page that other programs rely on. */
const FIXED = new Set(["What waits", "You cannot see this Work any more"])
/** What a person reads in the app, in mails, pushes, chats and refusals, and on the command line. Usage texts, lists of names and JSON are not sentences. */
const shown = findSentences(join(import.meta.dirname, "../..")).filter(
  ({ file, text }) =>
    /^(public|src\/(app|commands|desk|platform))\//.test(file) &&
    !FIXED.has(text) &&
    !text.startsWith("Usage:") &&
    !/^[\w-]+( [\w-]+){8,}$/.test(text) &&
    !text.includes('{"'),
)
const wordsIn = (text: string) => text.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0
const findings = (isFault: (sentence: string) => boolean) =>
  shown.flatMap(({ file, line, text }) =>
    text
      .split(/(?<=[.?!]”?) /)
      .filter(isFault)
      .map((sentence) => `${file}:${String(line)} ${sentence}`),
  )

test("a sentence has at most 20 words, and a hint at most 12", () => {
  expect(shown.length).toBeGreaterThan(1100)
  expect(shown.filter(({ isHint }) => isHint).length).toBeGreaterThan(5)
  expect(findings((text) => wordsIn(text) > 20)).toEqual([])
  expect(shown.filter(({ isHint, words }) => isHint && words > 12).map(({ text }) => text)).toEqual([])
})

/** Constructions that have to be read twice, and second spellings of a term, each with what to write. */
const AVOIDED: readonly (readonly [RegExp, string])[] = [
  [/\bwhat (became of|waits)\b/i, "the result, or pending items"],
  [/\bwho has no\b/i, "people without"],
  [/\bwhoever\b/i, "the operator, or people who"],
  [/, also (without|for|in)\b/i, "even"],
  [/\b(in (its|their) )?place of\b/i, "replaces, or instead of"],
  [/\bmeanwhile\b/i, "in the meantime, or nothing"],
  [/\bjust now\b/i, "at the moment"],
  [/\bnothing newer\b/i, "Last update"],
  [/\bby itself\b/i, "automatically"],
  [/\bgo(es)? on\b/i, "continue"],
  [/\bhears? of\b/i, "is notified of"],
  [/\bnot whole\b|\bread whole\b/i, "incomplete"],
  [/\bof before\b/i, "earlier, or former"],
  [/(?<!\bthere )\bis no (?!longer)/i, "isn't a"],
  [/\bthe Artifact says\b/i, "has the wrong size"],
  [/\btakes? (no|nothing)\b/i, "accepts no"],
  [/(?<!\bof your )\bWorks\b/, "pieces of Work"],
  [/\b(can ?not|could not|do not|does not|did not|has not|have not|will not|would not)\b/i, "can't, don't"],
  [/\b(an|the|each|every|your) approve\b/i, "approval"],
  [/\bsomething else than\b/i, "something other than"],
  [/\bby themselves\b/i, "automatically, or by default"],
  [/\bfor ever\b/i, "forever"],
  [/\bpersons\b/i, "people"],
  [/\be-?mail\b/i, "mail"],
  [/’/, "'"],
]

test("no sentence has a construction that is read twice, or a second spelling of a term", () => {
  const wrong = AVOIDED.flatMap(([construction, better]) =>
    findings((text) => construction.test(text)).map((finding) => `${finding} (better: ${better})`),
  )
  expect(wrong).toEqual([])
})

const programs = readdirSync(join(import.meta.dirname, ".."), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|bench|d)\.|testing|contract-types|architecture/.test(file))
  .map((file) => ({ file, code: readFileSync(join(import.meta.dirname, "..", file), "utf8") }))
  .filter(({ file }) => file !== join("contract", "plural.ts"))

test("a number is written, and a word that agrees with it is chosen, only by the formatters", () => {
  const writing = programs.filter(({ code }) => /toLocaleString\(|NumberFormat\(/.test(code)).map(({ file }) => file)
  const choosing = programs.filter(({ code }) => /[!=]== 1\b[^?\n]*\? ["`][^"`]/.test(code)).map(({ file }) => file)
  expect(programs.length).toBeGreaterThan(500)
  // Sizes of files have units, and the colleagues round their figures.
  expect(writing.toSorted()).toEqual([join("app", "ui", "save-file.ts"), join("service", "colleagues", "wording.ts")])
  expect(choosing).toEqual([])
})

/** A value before a plural: if it could be 1, the plural would be wrong. A limit is never 1. */
const COUNTED =
  /(?<!\b(?:most|than|to) )… (?:more |new |open |other )?(?:approvals|attempts|bytes|characters|columns|days|devices|events|files|hours|ids|items|letters|lines|minutes|persons|pieces|requests|results|rows|seconds|sessions|steps|texts|times|views|words|Works)\b(?! at most)/

test("a word after a number gets its form from the formatter", () => {
  const formatted = /\b(?:countOf|plural|pluralForm)\([^()]*(?:\([^()]*\)[^()]*)*\)/g
  const wrong = programs.flatMap(({ file, code }) =>
    readSentences(file, code.replaceAll(formatted, "formatted")).filter(({ text }) => COUNTED.test(text)),
  )
  expect(wrong.map(({ file, line, text }) => `${file}:${String(line)} ${text}`)).toEqual([])
  expect(textsOf("say(`Sent ${count} files`)").some((text) => COUNTED.test(text))).toBe(true)
  expect(textsOf("say(`Sent at most ${count} files`)").some((text) => COUNTED.test(text))).toBe(false)
})
