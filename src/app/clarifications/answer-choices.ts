/** Finds the choices that a question offers, so that they can be buttons. */
import { countCharacters } from "../../contract/limits.ts"

const CHOICES_MAX = 6
const CHARACTERS_MAX = 60

/** If there is no colon, the list of choices begins after the last of these words. */
const QUESTION_WORD = /\b(?:which|what|who|whom|where|when|how|should I|shall I|do you want(?: me)? to)\b/gi

/** The choices in the title of a question, else in what happened. None if there are fewer than two, or more than fit on the screen. */
export function findChoices({ title, what_happened: happened }: { title: string; what_happened: string }) {
  const found = [title, happened].map((text) => {
    const lines = listedLines(text)
    return lines.length > 0 ? lines : endingList(text)
  })
  return found.find((choices) => choices.length > 0) ?? []
}

/** The lines that begin with `- ` or `1.`. */
function listedLines(text: string): readonly string[] {
  return usable(text.split("\n").flatMap((line) => /^\s*(?:- |\d+\.\s)\s*(.+)$/.exec(line)?.[1] ?? []))
}

/** "leave, tidy or repair" at the end of a text: after its last colon, else after its last question word. */
function endingList(text: string): readonly string[] {
  const end = text.trim()
  const colon = end.lastIndexOf(":")
  const word = [...end.matchAll(QUESTION_WORD)].at(-1)
  const from = colon >= 0 ? colon + 1 : word && word.index + word[0].length
  if (from === undefined) return []
  const list = end.slice(from).trim().replace(/[?.]$/, "")
  // A sentence after the list means that the text doesn't end with the list.
  if (/[?!\n]|\.\s/.test(list) || !/\sor\s/i.test(list)) return []
  return usable(list.split(/,\s*or\s+|,\s*|\s+or\s+/i))
}

function usable(choices: readonly string[]): readonly string[] {
  const trimmed = choices.map((choice) => choice.trim())
  const fits = trimmed.every((choice) => choice !== "" && countCharacters(choice) <= CHARACTERS_MAX)
  return trimmed.length >= 2 && trimmed.length <= CHOICES_MAX && fits ? [...new Set(trimmed)] : []
}

/** The answer after a press on `choice`, which fills an empty answer, replaces another choice, or else is added as a new line. */
export function withChoice(answer: string, choice: string, choices: readonly string[]): string {
  return answer.trim() === "" || choices.includes(answer) ? choice : `${answer}\n${choice}`
}
