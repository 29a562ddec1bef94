/** The scripts that are distinguished, by their Unicode names. */
const names = `
  Latin Cyrillic Greek Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu
  Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul Ethiopic Cherokee Canadian_Aboriginal Ogham Runic
  Khmer Mongolian Hiragana Katakana Bopomofo Han Yi Lisu Vai Nko Coptic Gothic Deseret Osage Tifinagh Glagolitic
  Warang_Citi Adlam Balinese Javanese
`
let scripts: readonly { readonly name: string; readonly letter: RegExp }[] | undefined

/** Each script with the pattern of its letters. The patterns are made for the first text that needs them. */
const knownScripts = () =>
  (scripts ??= names
    .trim()
    .split(/\s+/)
    .map((name) => ({ name, letter: new RegExp(`\\p{Script=${name}}`, "u") })))

/** The scripts that a language mixes within a word (UTS 39, "Highly Restrictive"). Latin may be part of each mix, as in "JSONファイル". */
const mixesOfLanguages: readonly ReadonlySet<string>[] = [
  new Set(["Latin", "Han", "Hiragana", "Katakana"]),
  new Set(["Latin", "Han", "Bopomofo"]),
  new Set(["Latin", "Han", "Hangul"]),
]

/** Letters, marks and digits. A zero-width character inside a word does not split the word, or it would hide the mix. */
const words = /[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}]+/gu

/** A word and the Unicode names of its scripts, in the order in which they appear. */
type MixedWord = { word: string; scripts: readonly string[] }

const scriptsOf = (word: string): readonly string[] => {
  const found = new Set<string>()
  for (const character of new Set(word)) {
    const script = knownScripts().find(({ letter }) => letter.test(character))
    if (script) found.add(script.name.replace("_", " "))
  }
  return [...found]
}

/** The words of `text` whose letters come from scripts that no language mixes in a word. Accents and digits belong to every script. */
export function mixedScripts(text: string): readonly MixedWord[] {
  // Nearly every text is ASCII. Then no letter has to be looked up.
  if (!/[^\p{ASCII}]/u.test(text)) return []
  const mixed = new Map<string, MixedWord>()
  for (const [word] of text.matchAll(words)) {
    if (mixed.has(word) || !/[^\p{ASCII}]/u.test(word)) continue
    const found = scriptsOf(word)
    const isUsualMix = mixesOfLanguages.some((mix) => found.every((name) => mix.has(name)))
    if (found.length < 2 || isUsualMix) continue
    mixed.set(word, { word, scripts: found })
  }
  return [...mixed.values()]
}

/**
 * Letters that look like a letter from a to z or A to Z (UTS 39, confusables.txt), by script. A test compares them with the data of a package
 * that is too large for a browser.
 */
export const LOOKS_LATIN: Readonly<Record<string, string>> = {
  Cyrillic: "ЅІЈАВЕКМНОРСТУХЬагеорсухѕіјѡѴѵҮүһҽӀӏԁԌԛԜԝꙇ",
  Greek: "ͿΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγινορσυϜϳϺᴦ",
  Armenian: "ՍՏՕագզհոռսցքօ",
  Coptic: "ⲅⲎⲒⲔⲘⲚⲞⲟⲢⲣⲤⲥⲦⲨⲬⳐ",
  Cherokee: "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴꭵꮁꮃꮓꮩꮪꮯ",
  Canadian_Aboriginal: "ᐯᑌᑭᑯᒍᒪᕁᕼᕽᖇᖯᖴᗅᗞᗪᗰᗷ",
  Lisu: "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
  Tifinagh: "ⴸⴹⵏⵔⵕⵝ",
  Deseret: "𐐄𐐕𐐛𐐠𐐬𐐽𐑈",
  Osage: "𐒴𐓂𐓎𐓪𐓶",
}
const looksLatin = new Set(Object.values(LOOKS_LATIN).join(""))

const SEPARATOR = /[.@\u3002\uFF0E\uFF61]/u
/**
 * Labels, and what joins them: a dot, what IDNA reads as a dot (RFC 3490, 3.1), or an @. One class for both, because a pattern of labels that
 * are joined would try each letter of a long word as a beginning, which takes quadratic time.
 */
const joined = /[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}\-.@\u3002\uFF0E\uFF61]+/gu

/** The addresses in `text`, each as its two or more labels. */
function* addressesOf(text: string): Generator<readonly string[]> {
  for (const [run] of text.matchAll(joined)) {
    let labels: string[] = []
    // The empty label of two separators in a row, and of an end, ends an address.
    for (const label of [...run.split(SEPARATOR), ""]) {
      if (label !== "") labels.push(label)
      else {
        if (labels.length > 1) yield labels
        labels = []
      }
    }
  }
}

/**
 * The labels of addresses in `text` that are written in another script, look Latin letter by letter, and stand beside a Latin label: “рау” of
 * “рау.com”. In running text such a word is an ordinary one.
 */
export function disguisedLabels(text: string): readonly MixedWord[] {
  if (!/[^\p{ASCII}]/u.test(text)) return []
  const found = new Map<string, MixedWord>()
  for (const labels of addressesOf(text)) {
    if (!labels.some((label) => /\p{Script=Latin}/u.test(label))) continue
    for (const label of labels) {
      const letters = label.match(/\p{L}/gu)
      if (letters === null || !letters.every((letter) => looksLatin.has(letter))) continue
      found.set(label, { word: label, scripts: scriptsOf(label) })
    }
  }
  return [...found.values()]
}
