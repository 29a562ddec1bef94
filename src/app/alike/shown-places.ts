/** The places where the letters of a group differ, as they are marked in the first letter, and the text of each letter there. */
import type { Letter, LetterPart, Place } from "./alike-letters.ts"

/** A place of the first letter where at least one other letter differs. `from` and `to` are UTF-16 units of its text. */
export type ShownPlace = { readonly part: LetterPart; readonly from: number; readonly to: number }

type Stretch = { readonly from: number; readonly to: number }

/**
 * The places of all letters of a group in the first letter. Each is shown with the rest of its amount or address. Places that overlap or touch are
 * one.
 */
export function joinPlaces(first: Letter, all: readonly (readonly Place[])[]): readonly ShownPlace[] {
  const parts: readonly LetterPart[] = ["subject", "body"]
  return parts.flatMap((part) => {
    const stretches = all.flatMap((places) =>
      places.filter((place) => place.part === part).map(({ first: its }) => its),
    )
    const joined = join(stretches.map(([from, to]) => ({ from, to })))
    return join(joined.map((place) => grow(first[part], place))).map((place) => ({ part, ...place }))
  })
}

function join(stretches: readonly Stretch[]): readonly Stretch[] {
  const joined: { from: number; to: number }[] = []
  for (const { from, to } of stretches.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

/** How far a place grows to each side, in UTF-16 units. */
const GROWN_MAX = 40
const before = /(?:[\p{L}\p{N}_]+[.,:@/'’-])+$/u
const after = /^(?:[.,:@/'’-][\p{L}\p{N}_]+)+/u

/** The place with what stands before and after it in the same amount or address: `1,200.00` in place of `200`. */
function grow(text: string, { from, to }: Stretch): Stretch {
  const isWord = (at: number) => /[\p{L}\p{N}_]/u.test(text.charAt(at))
  const left = from < to && isWord(from) ? before.exec(text.slice(Math.max(0, from - GROWN_MAX), from)) : null
  const right = from < to && isWord(to - 1) ? after.exec(text.slice(to, to + GROWN_MAX)) : null
  return { from: from - (left?.[0].length ?? 0), to: to + (right?.[0].length ?? 0) }
}

/** The text of `other` at each of the shown places. `places` are its differences from the first letter. */
export function textsAt(shown: readonly ShownPlace[], other: Letter, places: readonly Place[]): readonly string[] {
  return shown.map(({ part, from, to }) => {
    const own = places.filter((place) => place.part === part)
    const grown = (isBefore: (place: Place) => boolean) =>
      own.filter(isBefore).reduce((sum, { first, other: its }) => sum + its[1] - its[0] - (first[1] - first[0]), 0)
    // A place that touches a shown place is part of it, so no place begins at `to` but outside.
    return other[part].slice(from + grown(({ first }) => first[0] < from), to + grown(({ first }) => first[0] <= to))
  })
}
