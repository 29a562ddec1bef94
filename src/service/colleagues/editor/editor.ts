/** The editor: a colleague that reviews a text. */
import type { Colleague, Host, Question } from "../colleague.ts"
import { agrees, askWithoutInput, couldNotRead, count, list, type Unreadable, visible } from "../wording.ts"
import { type Level, review, type Review, reviewMarkdown, rulesOf } from "./review.ts"

/** How long the reading of all inputs takes together, in seconds times `pace`, so that a person can watch the events. */
const WATCHING_SECONDS = 8

/** Reviews Markdown and plain text, asks how far it may edit, and delivers a review and edited copies. It sends no letter. */
export const editor: Colleague = {
  id: "editor",
  version: 1,
  label: "Editor",
  does: "Reviews and tidies Markdown and text",
  async run(host) {
    const { reviews, unreadable } = await readInputs(host)
    const recommended = recommend(reviews)
    const question = questionAbout(reviews, unreadable, recommended)
    const { level, how, understood } = understand(await host.ask(question), recommended, question.recommended_action)
    const message = reviews.length === 0 ? "There is no text to work on." : how
    await host.publish("answer.taken", { message, level, understood })
    const taken = new Set<string>()
    const edited = reviews.map((one) => ({ review: one, path: pathFor(one.name, taken), ...one.copies[level] }))
    for (const { review, path, changes } of edited) {
      await host.pause(1.5 / edited.length)
      const made = changes === 0 ? "unchanged" : `with ${count(changes, "change")}`
      await host.publish("copy.made", { message: `Copied ${visible(review.name)} ${made}.`, path, changes })
    }
    const report = reviewMarkdown(host.work.title, how, edited, unreadable)
    await host.deliver({ path: "review.md", media_type: "text/markdown", content: report })
    for (const { review, path, content } of edited)
      await host.deliver({ path, media_type: review.format === "Markdown" ? "text/markdown" : "text/plain", content })
    const done = edited.map(
      ({ review: { name, problems }, changes }) =>
        `Reviewed ${visible(name)} (${count(problems.length, "problem")}); its copy has ${count(changes, "change")}.`,
    )
    const failed = unreadable.length === 0 ? [] : [`Could not read ${namesOf(unreadable)}.`]
    await host.finish([...done, ...failed].join(" ") || "There was no input to review.")
  },
}

async function readInputs(host: Host): Promise<{ reviews: Review[]; unreadable: Unreadable[] }> {
  const { inputs } = host.work
  if (inputs.length === 0) await host.publish("input.none", { message: "This Work has no input to review." })
  const reviews: Review[] = []
  const unreadable: Unreadable[] = []
  for (const input of inputs) {
    const read = await review(input)
    if ("reason" in read) {
      unreadable.push(read)
      await host.publish("input.unreadable", { message: couldNotRead(read), input: read.name, reason: read.reason })
      continue
    }
    reviews.push(read)
    const { name, lines, format, problems } = read
    const message = `Read ${visible(name)}: ${count(lines, "line")}, ${format}, ${count(problems.length, "problem")}.`
    await host.publish("input.read", { message, input: name, lines, problems: problems.length })
    const rules = Map.groupBy(problems, ({ rule }) => rule)
    for (const [rule, own] of rules) {
      await host.pause(WATCHING_SECONDS / inputs.length / rules.size)
      const [first] = own
      const more = own.length > 1 ? `, and ${own.length - 1} more` : ""
      await host.publish("finding", {
        message: `${visible(name)}, line ${first?.line ?? 1}: ${visible(first?.message ?? "", 200)}${more}.`,
        input: name,
        rule,
        lines: own.slice(0, 20).map(({ line }) => line),
      })
    }
  }
  return { reviews, unreadable }
}

/** The recommended level: `leave` if nothing would change, `repair` if that changes more than `tidy`, or else `tidy`. */
function recommend(reviews: readonly Review[]): Level {
  if (reviews.every(({ copies }) => copies.repair.changes === 0)) return "leave"
  return reviews.some(({ copies }) => copies.repair.changes > copies.tidy.changes) ? "repair" : "tidy"
}

function questionAbout(reviews: readonly Review[], unreadable: readonly Unreadable[], recommended: Level): Question {
  const failed = unreadable.map(couldNotRead)
  if (reviews.length === 0) return askWithoutInput("review", "Markdown or text", failed)
  const changes = (level: Level): string =>
    count(
      reviews.reduce((sum, { copies }) => sum + copies[level].changes, 0),
      "change",
    )
  const found = reviews.map((one) => {
    const rules = one.problems.length === 0 ? "has no problems" : `breaks ${list(rulesOf(one))}`
    return `${visible(one.name)} (${one.format}, ${count(one.lines, "line")}) ${rules}.`
  })
  return {
    title: `How much may I change in ${namesOf(reviews)}: leave, tidy or repair?`,
    what_happened: [...found, ...failed].join(" "),
    why_needed:
      "Tidy changes only spaces, empty lines and the final line break. Repair makes every change that a markdownlint rule can make. The review lists what only a person can change.",
    recommended_action: {
      repair: `Repair: it makes ${changes("repair")}.`,
      tidy: `Tidy: it makes ${changes("tidy")}, and there is nothing more to repair.`,
      leave: "Leave it as it is: there is nothing that I can safely change.",
    }[recommended],
    consequences:
      "Until you answer, I won't write anything. Your answer decides what I change in a copy of the text. I never change your own file.",
  }
}

/** What the owner's answer allows the editor to change. `how` says as a whole sentence how the answer was understood. */
type Permission = { readonly level: Level; readonly how: string; readonly understood: boolean }

/** The words of each level. */
const LEVELS: readonly (readonly [Level, RegExp])[] = [
  ["leave", /\b(?:leave|untouched|unchanged|as is|nothing|hands off)\b|\b(?:don['’]t|not) (?:edit|change|touch)\b/gi],
  ["tidy", /\btid(?:y|ied)\b|\b(?:only|just) (?:the )?(?:spaces|blanks|whitespace)\b/gi],
  ["repair", /\brepair(?:ed|s)?\b|\bfix(?:ed)?\b|\beverything\b|\ball of (?:it|them)\b/gi],
]

const NEGATED = /\b(?:do not|don['’]t|not|no|without|never)\s+$/i
const SPOKEN: Readonly<Record<Level, string>> = {
  leave: "leave the text as it is",
  tidy: "tidy it only",
  repair: "repair it",
}

/** Reads the level from an answer. An answer without a level, or `recommendedAction` word for word, takes the recommendation. */
export function understand(answer: string, recommended: Level, recommendedAction: string): Permission {
  const text = answer.trim()
  const named = levelIn(text)
  const takesRecommendation = text === recommendedAction.trim() || (named === undefined && agrees(text))
  if (takesRecommendation)
    return {
      level: recommended,
      understood: true,
      how: `The answer accepted the recommendation: ${SPOKEN[recommended]}.`,
    }
  if (named) return { level: named, understood: true, how: `The answer was to ${SPOKEN[named]}.` }
  return {
    level: recommended,
    understood: false,
    how: `The answer doesn't say leave, tidy or repair, so I used the recommendation: ${SPOKEN[recommended]}.`,
  }
}

/** The level whose words come first in a text. Words after a negation do not count. */
function levelIn(text: string): Level | undefined {
  const found = LEVELS.flatMap(([level, words]) => [...text.matchAll(words)].map(({ index }) => ({ level, index })))
  const meant = found.filter(({ index }) => !NEGATED.test(text.slice(0, index)))
  return meant.sort((a, b) => a.index - b.index)[0]?.level
}

const namesOf = (texts: readonly { readonly name: string }[]): string => list(texts.map(({ name }) => visible(name)))

/** The path of an edited copy: `clean/` and the input's name, without separators, and different from the paths in `taken`. */
export function pathFor(name: string, taken: Set<string>): string {
  const flat = name.replace(/[/\\\p{Cc}]/gu, "_")
  const safe = /^\.*$/.test(flat) ? "text" : flat
  const dot = safe.lastIndexOf(".") > 0 ? safe.lastIndexOf(".") : safe.length
  let path = `clean/${safe}`
  for (let again = 2; taken.has(path); again += 1) path = `clean/${safe.slice(0, dot)} (${again})${safe.slice(dot)}`
  taken.add(path)
  return path
}
