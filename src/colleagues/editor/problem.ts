import { count, quoted } from "../wording.ts"
import type { Link, Text } from "./document.ts"
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

const VAGUE = /^(?:here|click here|this|this link|link|more|read more)$/i

function linkProblems(text: Text): Problem[] {
  const problem = (line: number, message: string): Problem => ({ kind: "link", message, line })
  const anchors = new Set(text.headings.map(({ text }) => slug(text)))
  const each = text.links.flatMap((link) => {
    const { kind, target, line } = link
    const what = `${kind} ${quoted(link.text === "" ? target : link.text)}`
    return [
      ...(target === "" ? [problem(line, `the ${what} has no target`)] : []),
      ...(link.text === ""
        ? [
            problem(
              line,
              kind === "image"
                ? `the image ${quoted(target)} has no alternative text`
                : `the link to ${quoted(target)} has no text`,
            ),
          ]
        : []),
      ...(malformed(target) ? [problem(line, `the ${what} has a malformed target, ${quoted(target)}`)] : []),
      ...(link.bare ? [problem(line, `the address ${quoted(target)} has no link text`)] : []),
      ...(kind === "link" && VAGUE.test(link.text)
        ? [problem(line, `the link text ${quoted(link.text)} does not say where the link leads`)]
        : []),
      ...(target.startsWith("#") && target.length > 1 && !anchors.has(target.slice(1).toLowerCase())
        ? [problem(line, `the ${what} leads to ${quoted(target)}, but no heading has that anchor`)]
        : []),
    ]
  })
  return [...each, ...differently(text.links), ...unparsed(text)]
}

/** Links with the same target and different texts, and links with the same text and different targets. */
function differently(links: readonly Link[]): Problem[] {
  const byTarget = new Map<string, Link>()
  const byText = new Map<string, Link>()
  return links.flatMap((link) => {
    if (link.kind !== "link" || link.bare || link.target === "" || link.text === "") return []
    const sameTarget = byTarget.get(link.target)
    const sameText = byText.get(link.text.toLowerCase())
    if (!sameTarget) byTarget.set(link.target, link)
    if (!sameText) byText.set(link.text.toLowerCase(), link)
    return [
      ...(sameTarget && sameTarget.text !== link.text
        ? [
            {
              kind: "link" as const,
              line: link.line,
              message: `${quoted(link.text)} and ${quoted(sameTarget.text)} on line ${sameTarget.line} lead to the same address, ${quoted(link.target)}`,
            },
          ]
        : []),
      ...(sameText && sameText.target !== link.target
        ? [
            {
              kind: "link" as const,
              line: link.line,
              message: `${quoted(link.text)} leads to ${quoted(link.target)} here, but to ${quoted(sameText.target)} on line ${sameText.line}`,
            },
          ]
        : []),
    ]
  })
}

/** Text that looks like a link and is no link in CommonMark: a space in the target, brackets in the wrong order, an unknown reference. */
function unparsed({ source, prose, format, kept }: Text): Problem[] {
  if (format !== "Markdown") return []
  const lineAt = lineFinder(source)
  const definitions = new Set(
    [...source.matchAll(/^ {0,3}\[([^\]\n]+)\]:/gm)].map(([, label]) => (label ?? "").toLowerCase()),
  )
  const find = (text: string, pattern: RegExp, tell: (match: RegExpMatchArray) => string | undefined): Problem[] =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const message = tell(match)
      return message === undefined ? [] : [{ kind: "link" as const, message, line: lineAt(match.index) }]
    })
  // All repetitions in these expressions are bounded, because a hostile line may have 100,000 brackets.
  const blanks = find(
    source,
    /(?<=\])\(([^()"'<>\s]{1,200}[ \t][^()"'<>\n]{1,200})\)/g,
    ([, target = ""]) => `the target ${quoted(target)} contains a space, so this is no link`,
  )
  const swapped = find(
    source,
    /(?<!\])\(([^()\n]{1,80})\)\[https?:\/\/[^\]\s]{1,200}\]/g,
    ([, text = ""]) => `the round and the square brackets at ${quoted(text)} are the wrong way round`,
  )
  return [
    ...[...blanks, ...swapped].filter(({ line }) => !kept.has(line)),
    ...find(prose, /\[([^[\]\n]{1,200})\]\[([^[\]\n]{0,200})\]/g, ([, text = "", label = ""]) =>
      definitions.has((label || text).toLowerCase())
        ? undefined
        : `the reference ${quoted(label || text)} is not defined`,
    ),
  ]
}

function malformed(target: string): boolean {
  if (/^https?:/i.test(target)) return !/^https?:\/\/[^/]/i.test(target) || !URL.canParse(target)
  return /^(?:h?t+ps?|https?)[:/]*\/\//i.test(target) || /\s/.test(target) || /^www\./i.test(target)
}

/** The anchor that GitHub gives a heading. */
export function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .replace(/\s/g, "-")
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

/** Makes a function that gives the line number of an offset. It uses binary search, because a hostile text has matches on 50,000 lines. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
