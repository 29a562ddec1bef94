import type { Level } from "./clean.ts"

/** What the owner's answer allows the editor to change. */
export type Permission = {
  readonly level: Level
  /** The most words of a sentence that does not count as long. */
  readonly longest: number
  /** How the answer was understood, as a whole sentence. */
  readonly how: string
  readonly understood: boolean
}

/** The default of `longest`, in words. */
export const LONGEST = 30

const LEVELS: readonly (readonly [Level, RegExp])[] = [
  [
    "leave",
    /\b(?:leave|untouched|unchanged|as (?:it )?is|nothing|hands off)\b|\b(?:do not|don['’]t|not) (?:edit|change|touch)\b/i,
  ],
  ["tidy", /\btid(?:y|ied)\b|\b(?:only|just) (?:the )?(?:spaces|blanks|whitespace)\b/i],
  ["repair", /\brepair(?:ed|s)?\b|\bfix(?:ed)?\b|\beverything\b|\ball of (?:it|them)\b/i],
]

const NEGATED = /\b(?:do not|don['’]t|not|no|without|never)\s+$/i
const AGREED =
  /^(?:y|yes|yep|yeah|ok|okay|sure|fine|agreed?|please do|go ahead|do (?:it|that|so)|(?:as|use|take|follow)\b.*\brecommend\w*|recommended)\b/i

const SPOKEN: Readonly<Record<Level, string>> = {
  leave: "leave the text as it is",
  tidy: "tidy it only",
  repair: "repair it",
}

/**
 * Reads the level, and the longest sentence (`25 words`), from an answer. An answer without a level takes the recommendation, and `how`
 * says so.
 * @param recommendedAction the text of the question, which the button `Use recommendation` sends
 */
export function understand(answer: string, recommended: Level, recommendedAction: string): Permission {
  const text = answer.trim()
  const words = Number(/\b(\d{1,3})[ -]words?\b/i.exec(text)?.[1] ?? LONGEST)
  const longest = Math.min(Math.max(words, 5), 200)
  const limit = longest === LONGEST ? "" : ` A sentence of more than ${longest} words counts as long.`
  if (text === recommendedAction.trim())
    return {
      level: recommended,
      longest: LONGEST,
      understood: true,
      how: `You took the recommendation: ${SPOKEN[recommended]}.`,
    }
  const found = LEVELS.flatMap(([level, pattern]) => {
    const match = pattern.exec(text)
    return match && !NEGATED.test(text.slice(0, match.index)) ? [{ level, at: match.index }] : []
  }).sort((a, b) => a.at - b.at)[0]
  if (found)
    return { level: found.level, longest, understood: true, how: `You chose to ${SPOKEN[found.level]}.${limit}` }
  if (AGREED.test(text))
    return {
      level: recommended,
      longest,
      understood: true,
      how: `You took the recommendation: ${SPOKEN[recommended]}.${limit}`,
    }
  return {
    level: recommended,
    longest,
    understood: false,
    how: `Your answer names none of leave, tidy and repair, so I took the recommendation: ${SPOKEN[recommended]}.${limit}`,
  }
}
