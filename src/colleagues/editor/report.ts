import { count, figure, markdown } from "../wording.ts"
import type { Permission } from "./answer.ts"
import type { Change } from "./clean.ts"
import type { Text, Unreadable } from "./document.ts"
import { FORMULAS, easeInWords } from "./measure.ts"
import type { Measures } from "./measure.ts"
import { PROBLEM_TITLES } from "./problem.ts"
import type { Problem, ProblemKind } from "./problem.ts"

export type Reviewed = {
  readonly text: Text
  readonly measures: Measures
  readonly problems: readonly Problem[]
  readonly changes: readonly Change[]
  readonly path: string
}

/** The most problems of one kind, and the most changes, that the review lists. It counts the others. */
const MOST_LISTED = 40

/** Writes `review.md`: the figures, the outline and the problems of each text, and the changes of its cleaned copy. */
export function reviewMarkdown(
  title: string,
  reviewed: readonly Reviewed[],
  unreadable: readonly Unreadable[],
  permission: Permission,
): string {
  const nothing =
    reviewed.length + unreadable.length === 0 ? ["This Work has no input, so there was nothing to review."] : []
  const parts = [
    `# Review: ${markdown(title, 200)}`,
    ...nothing,
    ...(reviewed.length > 0 ? [markdown(permission.how, 500)] : []),
    ...(unreadable.length > 0
      ? [
          "## Not read",
          bullets(unreadable.map(({ name, reason }) => `**${markdown(name)}**: ${markdown(reason, 500)}`)),
        ]
      : []),
    ...reviewed.flatMap(section),
    ...(reviewed.length > 0
      ? [
          "## How the figures were calculated",
          `${FORMULAS}. A text that does not look English has neither. Words and sentences are counted by the rules of Unicode (UAX 29). Links were not opened.`,
        ]
      : []),
  ]
  return `${parts.join("\n\n")}\n`
}

function section({ text, measures, problems, changes, path }: Reviewed): string[] {
  return [
    `## ${markdown(text.name)}`,
    figures(text, measures),
    ...(text.format === "Markdown" ? ["### Outline", outline(text)] : []),
    "### Problems",
    ...(problems.length === 0
      ? ["None found."]
      : Object.keys(PROBLEM_TITLES)
          .filter(isKind)
          .flatMap((kind) => listed(kind, problems))),
    "### The cleaned copy",
    changes.length === 0
      ? `${markdown(path)} is an unchanged copy of the text.`
      : `${markdown(path)} has these changes:\n\n${bullets(cap(changes.map(({ what, line }) => `${line === undefined ? "" : `line ${line}: `}${markdown(what, 300)}`)))}`,
  ]
}

function isKind(kind: string): kind is ProblemKind {
  return kind in PROBLEM_TITLES
}

function listed(kind: ProblemKind, problems: readonly Problem[]): string[] {
  const own = problems.filter((problem) => problem.kind === kind)
  if (own.length === 0) return []
  return [
    `#### ${PROBLEM_TITLES[kind]} (${own.length})`,
    bullets(cap(own.map(({ message, line }) => `line ${line}: ${markdown(message, 500)}`))),
  ]
}

function figures(
  { format, headings, links, codeBlocks }: Text,
  { lines, words, sentences, paragraphs, wordsPerSentence, readability }: Measures,
): string {
  const rows: readonly (readonly [string, string])[] = [
    ["Format", format],
    ["Lines", figure(lines)],
    ["Words", figure(words)],
    ["Sentences", figure(sentences)],
    ["Words per sentence", sentences === 0 ? "" : wordsPerSentence.toFixed(1)],
    ["Paragraphs and list entries", figure(paragraphs)],
    ...(format === "Markdown"
      ? ([
          ["Headings", figure(headings.length)],
          ["Links and images", figure(links.length)],
          ["Code blocks", figure(codeBlocks)],
        ] as const)
      : []),
    [
      "Flesch Reading Ease",
      readability
        ? `${readability.ease.toFixed(1)} (${easeInWords(readability.ease)})`
        : "not computed: the text does not look English",
    ],
    ...(readability ? ([["Flesch-Kincaid grade", readability.grade.toFixed(1)]] as const) : []),
  ]
  return ["| | |", "| --- | ---: |", ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join("\n")
}

function outline({ headings }: Text): string {
  if (headings.length === 0) return "There is no heading."
  const top = Math.min(...headings.map(({ level }) => level))
  let depth = 0
  return headings
    .map(({ level, text, line }) => {
      // Headings can skip a level, but a list in Markdown cannot.
      depth = Math.min(level - top, depth + 1)
      if (level === top) depth = 0
      return `${"  ".repeat(depth)}- ${text === "" ? "*no words*" : markdown(text, 120)} (level ${level}, line ${line})`
    })
    .join("\n")
}

function cap(items: readonly string[]): readonly string[] {
  return items.length <= MOST_LISTED
    ? items
    : [...items.slice(0, MOST_LISTED), `and ${count(items.length - MOST_LISTED, "more", "more")}`]
}

function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n")
}
