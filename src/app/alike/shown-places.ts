/** The places where the letters of a group differ, as they are marked in the first letter, and the text of each letter there. */
import type { Letter, LetterPart, Place } from "./alike-letters.ts"

/** A place of the first letter where at least one other letter differs. `from` and `to` are UTF-16 units of its text. */
export type ShownPlace = { readonly part: LetterPart; readonly from: number; readonly to: number }

/** The places of all letters of a group in the first letter. Places that overlap or touch are one. */
export function joinPlaces(all: readonly (readonly Place[])[]): readonly ShownPlace[] {
  const parts: readonly LetterPart[] = ["subject", "body"]
  return parts.flatMap((part) => {
    const stretches = all.flatMap((places) => places.filter((place) => place.part === part).map(({ first }) => first))
    const joined: { part: LetterPart; from: number; to: number }[] = []
    for (const [from, to] of stretches.toSorted((one, other) => one[0] - other[0])) {
      const last = joined.at(-1)
      if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to)
      else joined.push({ part, from, to })
    }
    return joined
  })
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
