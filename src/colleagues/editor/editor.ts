import type { Colleague, Desk, Question } from "../colleague.ts"
import { LONGEST, understand } from "./answer.ts"
import type { Permission } from "./answer.ts"
import { clean } from "./clean.ts"
import type { Cleaned, Level } from "./clean.ts"
import { readText } from "./document.ts"
import type { Text, Unreadable } from "./document.ts"
import { easeInWords, measure } from "./measure.ts"
import type { Measures } from "./measure.ts"
import { PROBLEM_TITLES, problemsOf, repetitionsIn } from "./problem.ts"
import type { Problem } from "./problem.ts"
import { reviewMarkdown } from "./report.ts"
import type { Reviewed } from "./report.ts"
import { count, list, quoted, visible } from "../wording.ts"

/** How long the reading of all inputs takes together, in seconds times `pace`, so that a person can watch the events. */
const WATCHING_SECONDS = 8

type Read = {
  readonly text: Text
  readonly measures: Measures
  readonly problems: readonly Problem[]
  /** The copy at each level. Cleaning reads the whole text again, so each copy is made once. */
  readonly copies: Readonly<Record<Level, Cleaned>>
}

/** Reviews Markdown and plain text, asks how far it may edit, and delivers a review and cleaned copies. It sends no letter. */
export const editor: Colleague = {
  id: "editor",
  version: 1,
  label: "Editor: reviews and tidies Markdown and text",
  async run(desk) {
    const { texts, unreadable } = await readInputs(desk)
    const recommended = recommend(texts)
    const question = questionAbout(texts, unreadable, recommended)
    const permission = understand(await desk.ask(question), recommended, question.recommended_action)
    await desk.publish("answer.taken", {
      message: texts.length === 0 ? "There is no text to work on." : permission.how,
      level: permission.level,
      understood: permission.understood,
    })
    const reviewed = await cleanAll(desk, texts, permission)
    await desk.deliver({
      path: "review.md",
      media_type: "text/markdown",
      content: reviewMarkdown(
        desk.work.title,
        reviewed.map(({ review }) => review),
        unreadable,
        permission,
      ),
    })
    for (const { review, content } of reviewed) {
      await desk.deliver({
        path: review.path,
        media_type: review.text.format === "Markdown" ? "text/markdown" : "text/plain",
        content,
      })
    }
    await desk.finish(
      accomplished(
        reviewed.map(({ review }) => review),
        unreadable,
      ),
    )
  },
}

async function readInputs(desk: Desk): Promise<{ texts: Read[]; unreadable: Unreadable[] }> {
  const { inputs } = desk.work
  if (inputs.length === 0) await desk.publish("input.none", { message: "This Work has no input to review." })
  const texts: Read[] = []
  const unreadable: Unreadable[] = []
  for (const input of inputs) {
    const text = readText(input)
    if ("reason" in text) {
      unreadable.push(text)
      await desk.publish("input.unreadable", {
        message: `${visible(text.name)} could not be read. ${text.reason}`,
        input: text.name,
        reason: text.reason,
      })
      continue
    }
    texts.push(await read(desk, text, WATCHING_SECONDS / inputs.length))
  }
  return { texts, unreadable }
}

async function read(desk: Desk, text: Text, seconds: number): Promise<Read> {
  const input = text.name
  const measures = measure(text)
  const { words, sentences, lines, readability } = measures
  await desk.publish("input.read", {
    message: `Read ${visible(input)}: ${count(words, "word")} in ${count(sentences, "sentence")} on ${count(lines, "line")}, ${text.format}.`,
    input,
    words,
    sentences,
    lines,
  })
  await desk.pause(seconds * 0.2)
  if (text.format === "Markdown") {
    const headings = text.headings.map(({ level, text, line }) => ({ level, text, line }))
    const first = list(
      text.headings.map(({ text }) => quoted(text)),
      4,
    )
    await desk.publish("outline.made", {
      message:
        headings.length === 0
          ? `${visible(input)} has no headings.`
          : `${visible(input)} has ${count(headings.length, "heading")}: ${first}.`,
      input,
      headings: headings.slice(0, 100),
    })
    await desk.pause(seconds * 0.2)
  }
  if (readability) {
    const { ease, grade } = readability
    await desk.publish("readability.measured", {
      message: `${visible(input)} is ${easeInWords(ease)} to read: Flesch Reading Ease ${ease.toFixed(1)}, grade ${grade.toFixed(1)}.`,
      input,
      ease,
      grade,
    })
    await desk.pause(seconds * 0.2)
  }
  const problems = problemsOf(text, LONGEST)
  const kinds = Map.groupBy(problems, ({ kind }) => kind)
  for (const [kind, own] of kinds) {
    const [first] = own
    const more = own.length > 1 ? `, and ${own.length - 1} more` : ""
    await desk.publish("finding", {
      message: `${PROBLEM_TITLES[kind]} in ${visible(input)}: line ${first?.line ?? 1}, ${first?.message ?? ""}${more}.`,
      input,
      kind,
      count: own.length,
      lines: own.slice(0, 20).map(({ line }) => line),
    })
    await desk.pause((seconds * 0.4) / kinds.size)
  }
  const copies = { leave: clean(text, "leave"), tidy: clean(text, "tidy"), repair: clean(text, "repair") }
  return { text, measures, problems, copies }
}

/** The recommended level: `repair` if that changes more than `tidy`, and `leave` if nothing would change. */
function recommend(texts: readonly Read[]): Level {
  if (texts.every(({ copies }) => copies.repair.changes.length === 0)) return "leave"
  return texts.some(({ copies }) => copies.repair.changes.length > copies.tidy.changes.length) ? "repair" : "tidy"
}

function questionAbout(texts: readonly Read[], unreadable: readonly Unreadable[], recommended: Level): Question {
  const failed = unreadable.map(({ name, reason }) => `${visible(name)} could not be read. ${reason}`)
  if (texts.length === 0) return questionForInput(failed)
  const files = list(texts.map(({ text }) => visible(text.name)))
  const changes = (level: Level): string => {
    const all = texts.flatMap(({ copies }) => copies[level].changes.map(({ what }) => what))
    return all.length === 0 ? "changes nothing" : `makes ${count(all.length, "change")}: ${list(all, 5)}`
  }
  const doubtful = texts.reduce(
    (sum, { text }) => sum + repetitionsIn(text).filter(({ certain }) => !certain).length,
    0,
  )
  return {
    title: `How far may I edit ${files}: leave, tidy or repair?`,
    what_happened: [
      ...texts.map(({ text, measures, problems }) => described(text, measures, problems)),
      ...failed,
    ].join(" "),
    why_needed: `To tidy is to change only spaces, empty lines and line ends. To repair is also to remove repeated words and to close gaps between heading levels.${doubtful > 0 ? ` ${count(doubtful, "repetition")} may be on purpose, so the review lists them and the copy keeps them.` : ""}`,
    recommended_action: {
      repair: `Repair: it ${changes("repair")}.`,
      tidy: `Tidy: there is nothing to repair for certain, and tidying ${changes("tidy")}.`,
      leave: "Leave it as it is: there is nothing to tidy, and nothing to repair for certain.",
    }[recommended],
    consequences: `Until you answer, I write nothing. Your answer decides what I change in a copy of the text. I never change your own file. You can also say how many words a sentence may have, as in “tidy, 25 words” (now ${LONGEST}).`,
  }
}

function described({ name, format }: Text, { words, sentences }: Measures, problems: readonly Problem[]): string {
  const kinds = [...Map.groupBy(problems, ({ kind }) => kind)].map(
    ([kind, own]) => `${PROBLEM_TITLES[kind].toLowerCase()} (${own.length})`,
  )
  const found = kinds.length === 0 ? "It has no problems." : `It has problems with ${list(kinds)}.`
  return `${visible(name)} (${format}) has ${count(words, "word")} in ${count(sentences, "sentence")}. ${found}`
}

function questionForInput(failed: readonly string[]): Question {
  return {
    title:
      failed.length === 0
        ? "This Work has no input. Shall I finish without a review?"
        : "There is no text to review. Shall I finish without?",
    what_happened:
      failed.length === 0 ? "I work on Markdown and plain text, and this Work has no input." : failed.join(" "),
    why_needed: "Without a text I can review nothing. Work that has begun takes no further input.",
    recommended_action: "Finish without a review, and start a new Work with a Markdown or text file.",
    consequences:
      "Until you answer, this Work waits. After any answer, the results say that there was nothing to review.",
  }
}

async function cleanAll(
  desk: Desk,
  texts: readonly Read[],
  permission: Permission,
): Promise<{ review: Reviewed; content: string }[]> {
  const taken = new Set<string>()
  const cleaned: { review: Reviewed; content: string }[] = []
  for (const { text, measures, copies, problems: found } of texts) {
    const { content, changes } = copies[permission.level]
    const path = pathFor(text.name, taken)
    const problems = permission.longest === LONGEST ? found : problemsOf(text, permission.longest)
    await desk.pause(1.5 / texts.length)
    await desk.publish("copy.cleaned", {
      message:
        changes.length === 0
          ? `Copied ${visible(text.name)} without a change.`
          : `Cleaned a copy of ${visible(text.name)}: ${list(
              changes.map(({ what }) => visible(what, 100)),
              3,
            )}.`,
      input: text.name,
      path,
      changes: changes.length,
    })
    cleaned.push({ review: { text, measures, problems, changes, path }, content })
  }
  return cleaned
}

/** The path of a cleaned copy: `clean/` and the input's name, without separators, and different from the paths in `taken`. */
export function pathFor(name: string, taken: Set<string>): string {
  const flat = name.replace(/[/\\\p{Cc}]/gu, "_")
  const safe = /^\.*$/.test(flat) ? "text" : flat
  const dot = safe.lastIndexOf(".") > 0 ? safe.lastIndexOf(".") : safe.length
  let path = `clean/${safe}`
  for (let again = 2; taken.has(path); again += 1) path = `clean/${safe.slice(0, dot)} (${again})${safe.slice(dot)}`
  taken.add(path)
  return path
}

function accomplished(reviewed: readonly Reviewed[], unreadable: readonly Unreadable[]): string {
  const done = reviewed.map(({ text, measures, problems, changes }) => {
    const found = problems.length === 0 ? "no problems" : count(problems.length, "problem")
    return `Reviewed ${visible(text.name)} (${count(measures.words, "word")}, ${found}); the cleaned copy has ${count(changes.length, "change")}.`
  })
  const failed = unreadable.length === 0 ? [] : [`Could not read ${list(unreadable.map(({ name }) => visible(name)))}.`]
  const nothing = reviewed.length + unreadable.length === 0 ? ["There was no input to review."] : []
  return [...done, ...failed, ...nothing].join(" ")
}
