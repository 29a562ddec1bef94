/** The wording of the colleagues' texts: figures, lists, and text from a file that must not be read as markup. */
import { pluralForm } from "../../contract/plural.ts"
import type { Question } from "./colleague.ts"

const wholeFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 0, useGrouping: "min2" })
const decimalFormat = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, useGrouping: "min2" })

/** Formats a figure for people: groups of thousands from five digits on, and few decimals. `columns.csv` has the same figure in full. */
export function figure(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size > 0 && size < 1e-6)) return value.toExponential(3)
  return Number.isInteger(value) || size >= 10_000 ? wholeFormat.format(value) : decimalFormat.format(value)
}

/** Formats a part of a whole as a percentage. Only an empty part reads 0%, and only the whole reads 100%. */
export function percentage(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%"
  if (part === whole) return "100%"
  const share = (part / whole) * 100
  if (share < 0.1) return "under 0.1%"
  if (share > 99.9) return "over 99.9%"
  return `${share < 10 || share > 99 ? share.toFixed(1) : Math.round(share)}%`
}

/** `1 row`, `1461 rows`. */
export function count(number: number, singular: string, plural = `${singular}s`): string {
  return `${figure(number)} ${pluralForm(number, singular, plural)}`
}

/** Joins items: `a`, `a and b`, `a, b and c`. With more than `most` items it ends with the number of the others: `a, b and 3 more`. */
export function list(items: readonly string[], most = 6): string {
  const shown = items.length > most ? [...items.slice(0, most), `${figure(items.length - most)} more`] : items
  if (shown.length < 2) return shown.join("")
  return `${shown.slice(0, -1).join(", ")} and ${shown.at(-1) ?? ""}`
}

/** Whether an answer only agrees, for instance `Yes, please` or `Use recommendation`. */
export function agrees(answer: string): boolean {
  return /^(?:y|yes|yep|yeah|ok|okay|sure|fine|agreed?|correct|right|please do|go ahead|do (?:it|that|so)|(?:as|use|take|follow)\b.*\brecommend\w*|recommended)\b/i.test(
    answer,
  )
}

/** An input that a colleague cannot read. `reason` is a whole sentence. */
export type Unreadable = { readonly name: string; readonly reason: string }

/** Says in a sentence which input could not be read, and why. */
export function couldNotRead({ name, reason }: Unreadable): string {
  return `${visible(name)} could not be read. ${reason}`
}

/** The question of a colleague that has nothing to work on. `failed` says in a sentence each why an input could not be read. */
export function askWithoutInput(result: "profile" | "review", formats: string, failed: readonly string[]): Question {
  const none = failed.length === 0
  return {
    title: none
      ? `This Work has no input. Shall I finish without a ${result}?`
      : `There is nothing to ${result}. Shall I finish anyway?`,
    what_happened: none ? `I need a ${formats} file, but this Work has no input.` : failed.join(" "),
    why_needed: `Without an input there is no ${result}. Inputs can't be added once Work has begun.`,
    recommended_action: `Finish without a ${result}, and start a new Work with a ${formats} file.`,
    consequences: `This Work is waiting for your answer. Any answer ends it, and the results say that there was nothing to ${result}.`,
  }
}

/** Invisible characters: controls, line ends, lone surrogates, and format characters, which change how a text reads (U+202E). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Zero width joiner and non-joiner. Emoji families and Persian words need them, and they do not reorder text. */
const JOINERS = new Set(["\u200c", "\u200d"])

/** The longest text from a file that is repeated inside a sentence, in characters. */
const QUOTED_CHARACTERS = 60

/** One line of visible text of at most `most` characters. Line breaks and tabs become spaces, other invisible characters their code points. */
export function visible(text: string, most = QUOTED_CHARACTERS): string {
  return cut(text, most)
    .replace(/\r\n|[\n\t]/g, " ")
    .replace(UNSEEN, (character) => {
      if (JOINERS.has(character)) return character
      return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
    })
}

/** A name or value from a file in quotation marks, for a sentence: `“Miles per gallon”`. */
export function quoted(text: string): string {
  return `“${visible(text)}”`
}

/**
 * Escapes text from a file for Markdown, so that no part of it is markup, a link, an image, an entity or the end of a table cell
 * (CommonMark, section 2.4). `://`, `www.` and `@` are escaped, because GitHub's Markdown makes links of them without brackets.
 */
export function markdown(text: string, most = QUOTED_CHARACTERS): string {
  return visible(text, most)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[\\`*[\]|~@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&")
    .replaceAll("://", "\\://")
    .replace(/\bwww\./gi, "www\\.")
    .replace(/^[-+=#]/, "\\$&")
    .replace(/^(\d+)(?=[.)](?:\s|$))/, "$1\\")
}

/** Cuts a text between grapheme clusters (UAX 29), so that no emoji or accent is split. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const head: string[] = []
  for (const { segment } of segmenter.segment(text)) {
    if (head.length === most) return `${head.slice(0, most - 1).join("")}…`
    head.push(segment)
  }
  return text
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" })
