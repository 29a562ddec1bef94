/** The words of a text for comparing: without accents and letter case (Unicode, NFKD). */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  return plain.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Whether each word of `wanted` is the beginning of another word of `words`, in any order. */
export function matchesWords(words: readonly string[], wanted: readonly string[]): boolean {
  const left = [...words]
  // The longest word is matched first, so that "in" does not use up "invoices", which "inv" needs.
  return wanted
    .toSorted((a, b) => b.length - a.length)
    .every((word) => {
      const place = left.findIndex((candidate) => candidate.startsWith(word))
      if (place !== -1) left.splice(place, 1)
      return place !== -1
    })
}
