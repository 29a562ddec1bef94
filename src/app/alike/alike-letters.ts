/** Finds the pending letters that are alike, and the places where two of them differ. */
import type { Approval } from "../../contract/resources.ts"
import { whyUnreadable } from "../inbox/item.ts"

/** What of an approval is compared. The destination and the summary may differ. */
export type Letter = Pick<Approval, "requested_by_colleague" | "policy_reason" | "risk" | "subject" | "body">

export type LetterPart = "subject" | "body"

/** A stretch of a text, in UTF-16 units. */
type Stretch = readonly [from: number, to: number]

/** A place where two letters differ: a stretch of each of them, which may be empty. */
export type Place = { readonly part: LetterPart; readonly first: Stretch; readonly other: Stretch }

/** Two letters are alike if they differ in at most so many places, each at most so long on both sides, in code points. */
export const PLACES_MAX = 10
export const PLACE_CHARACTERS_MAX = 80
/** The most letters in one group. Further letters begin another group. */
export const GROUP_MAX = 50
/** A letter is compared with at most this many first letters, of the last groups, so that the time grows only in proportion to the list. */
const COMPARED_MAX = 500

/** How many steps a comparison may take: fixed, and for each UTF-16 unit of the letters. A pair that needs more is not alike. */
const PAIR_STEPS = { fixed: 40_000, perUnit: 8 }
/** The same for all comparisons of a list. The letters that are left then are compared when the list changes again. */
const LIST_STEPS = { fixed: 4_000_000, perUnit: 1 }

/** How many steps comparisons may still take. */
export type Steps = { left: number }

/* The classes of characters. A word and a run of white space are one token each; every other character is a token of its own. */
const WORD = 1
const SPACE = 2
const SINGLE = 3
const word = /[\p{L}\p{N}_]/u
const space = /\s/u
const classes = new Uint8Array(0x110000)

/** The class of a code point. It is looked up once, because a regular expression for each character would take most of the time. */
function classOf(codePoint: number): number {
  const known = classes[codePoint] ?? 0
  if (known !== 0) return known
  const character = String.fromCodePoint(codePoint)
  const found = word.test(character) ? WORD : space.test(character) ? SPACE : SINGLE
  classes[codePoint] = found
  return found
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
/** Whether `at` is between the two units of one code point. */
const isWithinPair = (text: string, at: number) => isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))

/** Whether a token begins or ends at `at`. */
function isBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true
  if (isWithinPair(text, at)) return false
  const before = classOf(text.codePointAt(isWithinPair(text, at - 1) ? at - 2 : at - 1) ?? 0)
  return before === SINGLE || before !== classOf(text.codePointAt(at) ?? 0)
}

/** A token that is longer than this, in UTF-16 units, fits in no place. */
const TOKEN_UNITS_MAX = 2 * PLACE_CHARACTERS_MAX

type Cursor = readonly [text: string, at: number]

/**
 * How many units the texts have in common from these boundaries on, up to a boundary of both. Undefined if the token that differs is too long for a
 * place.
 */
function commonUnits([text, from]: Cursor, [other, otherFrom]: Cursor, steps: Steps): number | undefined {
  const most = Math.min(text.length - from, other.length - otherFrom)
  let equal = 0
  while (equal < most && text.charCodeAt(from + equal) === other.charCodeAt(otherFrom + equal)) equal += 1
  steps.left -= 1 + equal
  for (let count = equal; count >= Math.max(0, equal - TOKEN_UNITS_MAX); count--)
    if (isBoundary(text, from + count) && isBoundary(other, otherFrom + count)) return count
  return undefined
}

/** The boundaries at which a place that begins at `from` may end. */
function endsFrom(text: string, from: number): readonly number[] {
  const ends = [from]
  let at = from
  for (let count = 1; count <= PLACE_CHARACTERS_MAX && at < text.length; count++) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
    if (isBoundary(text, at)) ends.push(at)
  }
  return ends
}

/** A possible end of a place, and how much the texts have in common after it. */
type End = { readonly first: number; readonly other: number; readonly common: number }

/** The texts are taken for equal again after so many units, so that a word that both have by chance ends no place. */
const COMMON_ENOUGH = 40

/** The end of a place that begins at these boundaries: short, and before a long stretch that the texts have in common. */
function findEnd([text, from]: Cursor, [other, otherFrom]: Cursor, steps: Steps): End | undefined {
  const [ends, otherEnds] = [endsFrom(text, from), endsFrom(other, otherFrom)]
  // On a diagonal, the texts are equal up to this position. A later end before it would only make the place longer.
  const reached = new Map<number, number>()
  let best: End | undefined
  let bestScore = -Infinity
  // A place of `sum` tokens has at least so many units, so its score can't be higher.
  for (let sum = 1; sum <= ends.length + otherEnds.length - 2 && COMMON_ENOUGH - sum > bestScore; sum++) {
    for (let index = Math.max(0, sum - otherEnds.length + 1); index <= Math.min(sum, ends.length - 1); index++) {
      const [end = 0, otherEnd = 0] = [ends[index], otherEnds[sum - index]]
      steps.left -= 1
      if (steps.left < 0) return undefined
      const isAtEnd = end === text.length && otherEnd === other.length
      if (!isAtEnd && text.charCodeAt(end) !== other.charCodeAt(otherEnd)) continue
      if ((reached.get(end - otherEnd) ?? -1) >= end) continue
      const common = commonUnits([text, end], [other, otherEnd], steps)
      reached.set(end - otherEnd, end + (common ?? 0))
      // Two places without a token between them would be one place.
      if (common === undefined || (common === 0 && !isAtEnd)) continue
      const isToEnd = end + common === text.length && otherEnd + common === other.length
      const score = (isToEnd ? COMMON_ENOUGH : Math.min(common, COMMON_ENOUGH)) - (end - from) - (otherEnd - otherFrom)
      if (score > bestScore) [best, bestScore] = [{ first: end, other: otherEnd, common }, score]
    }
  }
  return best
}

/** The places of one part. Undefined if there are more than `most`, one is too long, or the comparison takes too many steps. */
function placesIn(part: LetterPart, first: string, other: string, most: number, steps: Steps) {
  const places: Place[] = []
  const begun = commonUnits([first, 0], [other, 0], steps)
  if (begun === undefined) return undefined
  let [at, otherAt] = [begun, begun]
  while (at < first.length || otherAt < other.length) {
    if (places.length === most) return undefined
    const end = findEnd([first, at], [other, otherAt], steps)
    if (end === undefined || steps.left < 0) return undefined
    places.push({ part, first: [at, end.first], other: [otherAt, end.other] })
    at = end.first + end.common
    otherAt = end.other + end.common
  }
  return places
}

/**
 * The places where `other` differs from `first`, in the order of the letter; undefined if the letters are not alike. Every unequal code point is in a
 * place: with the texts of `other` in its places, `first` is exactly `other`. Nothing is normalized.
 */
export function differingPlaces(first: Letter, other: Letter): readonly Place[] | undefined {
  return comparePair(first, other, { left: Infinity })
}

function comparePair(first: Letter, other: Letter, all: Steps): readonly Place[] | undefined {
  if (kindOf(first) !== kindOf(other)) return undefined
  if (!canBeAlike(first, other)) return undefined
  const units = first.subject.length + first.body.length + other.subject.length + other.body.length
  const steps = { left: PAIR_STEPS.fixed + PAIR_STEPS.perUnit * units }
  const before = steps.left
  const inSubject = placesIn("subject", first.subject, other.subject, PLACES_MAX, steps)
  const inBody = inSubject && placesIn("body", first.body, other.body, PLACES_MAX - inSubject.length, steps)
  all.left -= before - steps.left
  return inBody && [...inSubject, ...inBody]
}

/** What has to be equal. */
const kindOf = ({ requested_by_colleague: colleague, policy_reason: reason, risk }: Letter) =>
  JSON.stringify([colleague, reason, risk])

/** The number of code points of a letter's tokens, counted in this many classes of tokens. */
const COUNTS = 128
const countsOfLetter = new WeakMap<Letter, Int32Array>()

function countTokens(letter: Letter): Int32Array {
  const known = countsOfLetter.get(letter)
  if (known !== undefined) return known
  const counts = new Int32Array(COUNTS)
  for (const text of [letter.subject, letter.body]) countIn(text, counts)
  countsOfLetter.set(letter, counts)
  return counts
}

/** Every letter passes through this loop, so it looks at single UTF-16 units: half of a pair counts as a token of its own. */
function countIn(text: string, counts: Int32Array): void {
  let [hash, last, length] = [0, 0, 0]
  const end = () => {
    const index = (hash ^ (hash >>> 7) ^ (hash >>> 14)) & (COUNTS - 1)
    counts[index] = (counts[index] ?? 0) + length
  }
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const kind = classOf(unit)
    if (kind !== last || kind === SINGLE) {
      end()
      hash = 0
      length = 0
      last = kind
    }
    hash = (Math.imul(hash, 31) + unit) | 0
    if (!isLow(unit)) length += 1
  }
  end()
}

/** Rules out most pairs at once: letters that are alike have all tokens in common but those in the places. */
function canBeAlike(first: Letter, other: Letter): boolean {
  const most = PLACES_MAX * PLACE_CHARACTERS_MAX
  const difference = first.subject.length + first.body.length - other.subject.length - other.body.length
  if (Math.abs(difference) > 2 * most) return false
  const [counts, otherCounts] = [countTokens(first), countTokens(other)]
  let [more, less] = [0, 0]
  for (let index = 0; index < COUNTS; index++) {
    const count = (counts[index] ?? 0) - (otherCounts[index] ?? 0)
    if (count > 0) more += count
    else less -= count
  }
  return more <= most && less <= most
}

/** Whether a letter is alike with the first letter of a group, by that letter. The list of pending items keeps the objects that did not change. */
const compared = new WeakMap<Letter, WeakMap<Letter, boolean>>()

function isAlike(first: Letter, other: Letter, steps: Steps): boolean {
  const known = compared.get(first) ?? new WeakMap<Letter, boolean>()
  compared.set(first, known)
  steps.left -= 1
  const before = known.get(other)
  if (before !== undefined || steps.left < 0) return before === true
  const found = comparePair(first, other, steps) !== undefined
  known.set(other, found)
  return found
}

export type AlikeGroup = { readonly keys: readonly string[] }

/**
 * The groups of letters that are alike, by the key of each of their letters. A group has the first letter in the order of `letters`, and at most 49
 * later ones that are alike with it. A letter that is alike with no other, or that nobody can read, is in no group.
 *
 * @param steps how many steps the comparisons may take
 */
export function findAlike(
  letters: readonly { readonly key: string; readonly item: Approval }[],
  steps = stepsFor(letters),
): ReadonlyMap<string, AlikeGroup> {
  const groups = new Map<string, AlikeGroup>()
  for (const same of Map.groupBy(letters, ({ item }) => kindOf(item)).values()) {
    if (same.length < 2) continue
    const open: { readonly first: Approval; readonly keys: string[] }[] = []
    for (const { key, item } of same) {
      if (whyUnreadable(item) !== undefined) continue
      const group = open
        .slice(-COMPARED_MAX)
        .find(({ first, keys }) => keys.length < GROUP_MAX && isAlike(first, item, steps))
      if (group === undefined) open.push({ first: item, keys: [key] })
      else group.keys.push(key)
    }
    for (const group of open) if (group.keys.length > 1) for (const key of group.keys) groups.set(key, group)
  }
  return groups
}

function stepsFor(letters: readonly { readonly item: Approval }[]): Steps {
  const units = letters.reduce((sum, { item }) => sum + item.subject.length + item.body.length, 0)
  return { left: LIST_STEPS.fixed + LIST_STEPS.perUnit * units }
}
