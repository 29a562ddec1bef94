import { count, quoted } from "../wording.ts"
import type { Text } from "./document.ts"
import { lineFinder } from "./lines.ts"
import { linkProblems } from "./link-problem.ts"
import { sentencesOf } from "./measure.ts"

/** A problem of the text. `message` is a clause that does not name the line. */
export type Problem = { readonly kind: ProblemKind; readonly message: string; readonly line: number }

export type ProblemKind = "heading" | "link" | "repeated_word" | "long_sentence" | "whitespace"

/** A repetition such as `the the`. A repair removes the text from `start` to `end`. `certain`: the repetition is a mistake. */
export type Repetition = {
  readonly word: string
  readonly start: number
  readonly end: number
  readonly line: number
  readonly certain: boolean
}

export const PROBLEM_TITLES: Readonly<Record<ProblemKind, string>> = {
  heading: "Headings",
  link: "Links",
  repeated_word: "Repeated words",
  long_sentence: "Long sentences",
  whitespace: "Spaces and line ends",
}

/** All problems of a text, in the order of `PROBLEM_TITLES`, then by line. `longest` is the most words that a sentence may have. */
export function problemsOf(text: Text, longest: number): readonly Problem[] {
  const found = [
    ...headingProblems(text),
    ...linkProblems(text),
    ...repetitionProblems(text),
    ...longSentences(text, longest),
    ...whitespaceProblems(text),
  ]
  const order = Object.keys(PROBLEM_TITLES)
  return found.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.line - b.line)
}

function headingProblems({ headings, format }: Text): Problem[] {
  if (format !== "Markdown") return []
  const problem = (line: number, message: string): Problem => ({ kind: "heading", message, line })
  const [first] = headings
  if (first === undefined) return [problem(1, "the text has no heading")]
  const tops = headings.filter(({ level }) => level === 1)
  const seen = new Map<string, number>()
  return [
    ...(tops.length === 0
      ? [
          problem(
            first.line,
            `the text has no level 1 heading: its first heading, ${quoted(first.text)}, has level ${first.level}`,
          ),
        ]
      : []),
    ...tops.slice(1).map(({ text, line }) => problem(line, `${quoted(text)} is one more level 1 heading`)),
    ...headings.flatMap(({ level, text, line }, index) => {
      const before = headings[index - 1]?.level
      const known = seen.get(text.toLowerCase())
      seen.set(text.toLowerCase(), known ?? line)
      return [
        ...(before !== undefined && level > before + 1
          ? [problem(line, `${quoted(text)} has level ${level}, but the heading before it has level ${before}`)]
          : []),
        ...(text === "" ? [problem(line, "a heading has no words")] : []),
        ...(known !== undefined && text !== ""
          ? [problem(line, `${quoted(text)} repeats the heading on line ${known}`)]
          : []),
      ]
    }),
  ]
}

const REPEATED = /(?<![\p{L}\p{N}'’-])(\p{L}+)([ \t]+|[ \t]*\n[ \t]*)(\1)(?![\p{L}\p{N}'’-])/giu

/** Words whose repetition is always a mistake. `had had`, `very very` and `Duran Duran` may be intended, so the editor keeps them. */
const SLIPS = new Set(
  "the a an of to and or is are was were be it its in on at by for from with as if but not this these we you they he she will can may".split(
    " ",
  ),
)

export function repetitionsIn({ prose }: Pick<Text, "prose">): readonly Repetition[] {
  const lineAt = lineFinder(prose)
  return [...prose.matchAll(REPEATED)].map((match) => {
    const [, word = "", gap = "", again = ""] = match
    const start = match.index + word.length
    const broken = gap.includes("\n")
    // On one line a repair removes the gap and the second word. Across lines it keeps the line end, and removes the blank after the word.
    const blankAfter = broken
      ? (/^[ \t]/.exec(prose.slice(start + gap.length + again.length, start + gap.length + again.length + 1))?.[0]
          .length ?? 0)
      : 0
    return {
      word,
      start: broken ? start + gap.length : start,
      end: start + gap.length + again.length + blankAfter,
      line: lineAt(match.index),
      certain: SLIPS.has(word.toLowerCase()) && (again === again.toLowerCase() || word === again),
    }
  })
}

function repetitionProblems(text: Text): Problem[] {
  return repetitionsIn(text).map(({ word, line, certain }) => ({
    kind: "repeated_word",
    message: `${quoted(word)} stands twice in a row${certain ? "" : ", perhaps on purpose"}`,
    line,
  }))
}

function longSentences(text: Text, longest: number): Problem[] {
  return sentencesOf(text)
    .filter(({ words }) => words.length > longest)
    .map(({ text, words, line }) => ({
      kind: "long_sentence",
      message: `${count(words.length, "word")}: ${quoted(text)}`,
      line,
    }))
}

function whitespaceProblems({ source, format, kept }: Text): Problem[] {
  const problem = (line: number, message: string): Problem => ({ kind: "whitespace", message, line })
  const lines = source.split("\n")
  const lineAt = lineFinder(source)
  const trailing = lines.flatMap((line, index) =>
    /[ \t]$/.test(line) && !kept.has(index + 1) && !isHardBreak(lines, index, format) ? [index + 1] : [],
  )
  const gaps = [...source.matchAll(/\n(?:[ \t]*\n){2,}/g)]
    .map(({ index }) => lineAt(index) + 1)
    .filter((line) => !kept.has(line))
  const [firstTrailing, firstGap] = [trailing[0], gaps[0]]
  return [
    ...(firstTrailing === undefined
      ? []
      : [
          problem(
            firstTrailing,
            `${count(trailing.length, "line")} ${trailing.length === 1 ? "ends" : "end"} with spaces`,
          ),
        ]),
    ...(firstGap === undefined
      ? []
      : [
          problem(
            firstGap,
            `${count(gaps.length, "place")} ${gaps.length === 1 ? "has" : "have"} more than one empty line in a row`,
          ),
        ]),
    ...(source.endsWith("\n") ? [] : [problem(lines.length, "the last line has no line end")]),
  ]
}

/** Whether the two spaces at the end of a line are a hard line break in Markdown (CommonMark, section 6.7), which must stay. */
export function isHardBreak(lines: readonly string[], index: number, format: Text["format"]): boolean {
  return (
    format === "Markdown" &&
    (lines[index] ?? "").endsWith("  ") &&
    (lines[index] ?? "").trim() !== "" &&
    (lines[index + 1] ?? "").trim() !== ""
  )
}
