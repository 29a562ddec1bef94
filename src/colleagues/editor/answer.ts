import { agrees } from "../wording.ts"
import type { Level } from "./review.ts"

/** What the owner's answer allows the editor to change. `how` says as a whole sentence how the answer was understood. */
export type Permission = { readonly level: Level; readonly how: string; readonly understood: boolean }

const LEVELS: readonly (readonly [Level, RegExp])[] = [
  ["leave", /\b(?:leave|untouched|unchanged|as is|nothing|hands off)\b|\b(?:don['’]t|not) (?:edit|change|touch)\b/i],
  ["tidy", /\btid(?:y|ied)\b|\b(?:only|just) (?:the )?(?:spaces|blanks|whitespace)\b/i],
  ["repair", /\brepair(?:ed|s)?\b|\bfix(?:ed)?\b|\beverything\b|\ball of (?:it|them)\b/i],
]

const NEGATED = /\b(?:do not|don['’]t|not|no|without|never)\s+$/i
const SPOKEN: Readonly<Record<Level, string>> = {
  leave: "leave the text as it is",
  tidy: "tidy it only",
  repair: "repair it",
}

/**
 * Reads the level from an answer. An answer without a level takes the recommendation, and `how` says so.
 * @param recommendedAction the text of the question, which the button `Use recommendation` sends
 */
export function understand(answer: string, recommended: Level, recommendedAction: string): Permission {
  const text = answer.trim()
  const [found] = LEVELS.flatMap(([level, pattern]) => {
    const match = pattern.exec(text)
    return match && !NEGATED.test(text.slice(0, match.index)) ? [{ level, at: match.index }] : []
  }).sort((a, b) => a.at - b.at)
  const isTaken = text === recommendedAction.trim() || (found === undefined && agrees(text))
  if (isTaken)
    return { level: recommended, understood: true, how: `You took the recommendation: ${SPOKEN[recommended]}.` }
  if (found) return { level: found.level, understood: true, how: `You chose to ${SPOKEN[found.level]}.` }
  return {
    level: recommended,
    understood: false,
    how: `Your answer names none of leave, tidy and repair, so I took the recommendation: ${SPOKEN[recommended]}.`,
  }
}
