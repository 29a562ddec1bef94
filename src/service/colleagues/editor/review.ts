/** Reviews a text by rules, and writes the review. */
import type { Configuration, LintError } from "markdownlint"
import type { Input } from "../colleague.ts"
import { count, markdown, type Unreadable } from "../wording.ts"

/** `leave` changes nothing, `tidy` changes spaces and empty lines, `repair` makes every change that a rule of markdownlint knows. */
export type Level = "leave" | "tidy" | "repair"

/** A text with its problems, by line, and its copy at each level. */
export type Review = {
  readonly name: string
  readonly format: "Markdown" | "plain text"
  readonly lines: number
  readonly problems: readonly Problem[]
  readonly copies: Readonly<Record<Level, { readonly content: string; readonly changes: number }>>
}

/** A broken rule. `rule` is its name, such as `MD012`, and `message` is a clause. */
export type Problem = { readonly rule: string; readonly line: number; readonly message: string }

/** Trailing spaces, consecutive blank lines, and the line end of the last line. Plain text has no other rule. */
const SPACES: Configuration = { default: false, MD009: true, MD012: true, MD047: true }

/** All rules but one: the length of a line is the writer's own. */
const ALL: Configuration = { default: true, MD013: false }

/** The most problems that the review lists of a text. It counts the others. */
const LISTED_MAX = 60

/** Reviews an input with markdownlint. If the input is no text, `reason` says why in a whole sentence. */
export async function review({
  name,
  mediaType,
  content,
}: Pick<Input, "name" | "mediaType" | "content">): Promise<Review | Unreadable> {
  const source = content.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  if (source.trim() === "") return { name, reason: "It is empty or contains only spaces." }
  if (source.includes("\u0000")) return { name, reason: "It contains NUL characters, so it is a binary file." }
  if (mediaType === "text/csv" || mediaType === "application/json") {
    const what = mediaType === "text/csv" ? "CSV" : "JSON"
    return { name, reason: `It is ${what} data, not text to edit. The analyst works on ${what}.` }
  }
  // The linter takes longer to import than most texts take to review, and the analyst does not need it.
  const [{ applyFixes }, { lint }] = await Promise.all([import("markdownlint"), import("markdownlint/sync")])
  const lintText = (config: Configuration): readonly LintError[] =>
    // Comments of the text may not switch rules off.
    lint({ strings: { source }, config, noInlineConfig: true })["source"] ?? []
  const fix = (errors: readonly LintError[]) => ({
    content: applyFixes(source, [...errors]),
    changes: errors.filter(({ fixInfo }) => fixInfo).length,
  })
  const isMarkdown = mediaType === "text/markdown" || /\.(?:md|markdown)$/i.test(name)
  const errors = lintText(isMarkdown ? ALL : SPACES)
  return {
    name,
    format: isMarkdown ? "Markdown" : "plain text",
    lines: source.replace(/\n$/, "").split("\n").length,
    problems: errors.map(toProblem).sort((a, b) => a.line - b.line),
    copies: {
      leave: { content, changes: 0 },
      tidy: fix(lintText(SPACES)),
      repair: fix(errors),
    },
  }
}

function toProblem({ ruleNames, lineNumber, ruleDescription, errorDetail, errorContext }: LintError): Problem {
  const parts = [ruleDescription, errorDetail, errorContext && `“${errorContext}”`].filter(Boolean)
  return { rule: ruleNames[0] ?? "", line: lineNumber, message: parts.join(": ") }
}

/** The broken rules with their number, for a sentence: `MD009 Trailing spaces (3)`. */
export function rulesOf({ problems }: Review): readonly string[] {
  const rules = Map.groupBy(problems, ({ rule }) => rule)
  return [...rules].map(([rule, own]) => `${rule} ${own[0]?.message.split(":", 1)[0] ?? ""} (${own.length})`)
}

/** Writes `review.md`: the problems of each text, and what was changed in its copy. `how` says how the answer was understood. */
export function reviewMarkdown(
  title: string,
  how: string,
  reviewed: readonly { readonly review: Review; readonly path: string; readonly changes: number }[],
  unreadable: readonly Unreadable[],
): string {
  const nothing = reviewed.length + unreadable.length === 0
  const parts = [
    `# Review: ${markdown(title, 200)}`,
    ...(nothing ? ["This Work has no input, so there was nothing to review."] : []),
    ...(reviewed.length > 0 ? [markdown(how, 500)] : []),
    ...unreadable.map(({ name, reason }) => `**${markdown(name)}** was not read. ${markdown(reason, 500)}`),
    ...reviewed.flatMap(({ review: { name, format, lines, problems }, path, changes }) => [
      `## ${markdown(name)}`,
      `${format}, ${count(lines, "line")}. ${markdown(path)} is ${changes === 0 ? "an unchanged copy" : `a copy with ${count(changes, "change")}`}.`,
      ...(problems.length === 0 ? ["markdownlint found no problems."] : [listed(problems)]),
    ]),
  ]
  return `${parts.join("\n\n")}\n`
}

function listed(problems: readonly Problem[]): string {
  const lines = problems
    .slice(0, LISTED_MAX)
    .map(({ rule, line, message }) => `- line ${line}: ${markdown(message, 300)} (${rule})`)
  const left = problems.length - lines.length
  return [...lines, ...(left > 0 ? [`- and ${count(left, "more", "more")}`] : [])].join("\n")
}
