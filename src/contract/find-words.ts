/** How words are found in texts: without letter case and accents, all of them, in any order. */

/** A text for comparing: without letter case and accents (Unicode, NFKD). */
export function fold(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
}

/** Makes a function that says whether the text of a thing has every word of `q`. The text of each thing is folded once. */
export function wordFinder<Thing extends object>(
  textOf: (thing: Thing) => string,
): (thing: Thing, q: string) => boolean {
  const folded = new WeakMap<Thing, string>()
  // One list compares thousands of things with the same `q`.
  let last: { readonly q: string; readonly words: readonly string[] } = { q: "", words: [] }
  return (thing, q) => {
    if (last.q !== q) last = { q, words: fold(q).split(/\s+/).filter(Boolean) }
    if (last.words.length === 0) return true
    const text = folded.get(thing) ?? fold(textOf(thing))
    folded.set(thing, text)
    return last.words.every((word) => text.includes(word))
  }
}
