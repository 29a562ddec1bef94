import type { Block, Text } from "./document.ts"

/** The figures of a text. Readability counts paragraphs and list entries only, because headings and tables have no sentences. */
export type Measures = {
  readonly lines: number
  readonly words: number
  readonly sentences: number
  readonly paragraphs: number
  readonly wordsPerSentence: number
  readonly readability: Readability | undefined
}

/** The results of the formulas in FORMULAS, which are made for English. A text that does not look English has no readability. */
export type Readability = { readonly ease: number; readonly grade: number; readonly syllablesPerWord: number }

export type Sentence = { readonly text: string; readonly words: readonly string[]; readonly line: number }

/** The formulas, for the section "How the figures were calculated" of each review. */
export const FORMULAS =
  "Flesch Reading Ease is 206.835 − 1.015 × words per sentence − 84.6 × syllables per word (Flesch 1948), from about 0 (very hard) to 100 (very easy). The Flesch-Kincaid grade is 0.39 × words per sentence + 11.8 × syllables per word − 15.59 (Kincaid 1975), in years of school. Syllables are counted by a rule: groups of vowels, without a silent e at the end"

const words = new Intl.Segmenter("en", { granularity: "word" })
const sentences = new Intl.Segmenter("en", { granularity: "sentence" })

/** Counts the words, sentences and paragraphs of a text, and computes its readability. */
export function measure(text: Text): Measures {
  const all = sentencesOf(text)
  const prose = all.flatMap(({ words }) => words)
  const perSentence = all.length === 0 ? 0 : prose.length / all.length
  return {
    lines: text.source.replace(/\n$/, "").split("\n").length,
    words: text.blocks.reduce(
      (sum, { kind, text }) => sum + (kind === "paragraph" ? 0 : wordsIn(text).length),
      prose.length,
    ),
    sentences: all.length,
    paragraphs: text.blocks.filter(({ kind }) => kind === "paragraph").length,
    wordsPerSentence: perSentence,
    readability: all.length === 0 || !looksEnglish(prose) ? undefined : readability(perSentence, prose),
  }
}

function wordsIn(text: string): string[] {
  if (text === "") return []
  return [...words.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}

/** The sentences of each text. Segmenting a text takes a tenth of a second, so the result is kept. */
const segmented = new WeakMap<readonly Block[], readonly Sentence[]>()

/** Every sentence of the paragraphs that has a word, with the line on which its paragraph begins. */
export function sentencesOf({ blocks }: Pick<Text, "blocks">): readonly Sentence[] {
  const found = segmented.get(blocks) ?? sentencesIn(blocks.filter(({ kind }) => kind === "paragraph"))
  segmented.set(blocks, found)
  return found
}

const ABBREVIATION = /(?:^|[\s("“])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e|etc|cf|No|Fig|Inc|Ltd|approx|[A-Z])\.\s*$/

type Start = { readonly index: number; readonly line: number }

/**
 * Segments all paragraphs in one call, because 20,000 calls take longer than the segmenting itself. The line feed between two paragraphs
 * ends each word and sentence (UAX 29), and no paragraph contains a line feed.
 */
function sentencesIn(paragraphs: readonly Block[]): readonly Sentence[] {
  const text = paragraphs.map((paragraph) => paragraph.text).join("\n")
  const starts = sentenceStarts(text, paragraphs)
  const found = starts.map(({ index, line }, at) => ({
    text: text.slice(index, starts[at + 1]?.index).trim(),
    words: new Array<string>(),
    line,
  }))
  let at = 0
  for (const { segment, index, isWordLike } of words.segment(text)) {
    while ((starts[at + 1]?.index ?? Number.POSITIVE_INFINITY) <= index) at += 1
    if (isWordLike) found[at]?.words.push(segment)
  }
  return found.filter((sentence) => sentence.words.length > 0)
}

function sentenceStarts(text: string, paragraphs: readonly Block[]): readonly Start[] {
  const starts: Start[] = []
  let paragraph = 0
  let end = -1
  let previous = ""
  for (const { segment, index } of sentences.segment(text)) {
    const isFirst = index > end
    if (isFirst) {
      end = index + (paragraphs[paragraph]?.text.length ?? 0)
      paragraph += 1
    }
    if (isFirst || !ABBREVIATION.test(previous.slice(-12)))
      starts.push({ index, line: paragraphs[paragraph - 1]?.line ?? 1 })
    previous = segment
  }
  return starts
}

function readability(perSentence: number, prose: readonly string[]): Readability {
  const syllablesPerWord = prose.reduce((sum, word) => sum + syllables(word), 0) / prose.length
  return {
    ease: 206.835 - 1.015 * perSentence - 84.6 * syllablesPerWord,
    grade: 0.39 * perSentence + 11.8 * syllablesPerWord - 15.59,
    syllablesPerWord,
  }
}

/** Syllables of an English word by rule: groups of vowels, without a silent e, and at least one. */
export function syllables(word: string): number {
  const letters = word.toLowerCase().replace(/[^a-z]/g, "")
  const spoken =
    letters.length > 3
      ? letters.replace(/(?:[^laeiouy]es|(?<![td])ed|[^laeiouy]e)$/, (end) =>
          /^[^laeiouy]e/.test(end) ? end.slice(0, 1) : "",
        )
      : letters
  return Math.max(spoken.match(/[aeiouy]+/g)?.length ?? 0, 1)
}

/** The most common English words. In an English text at least one word in twelve is one of them. */
const COMMON = new Set(
  "the of and to a in is that it for as with on be are this by not or from at an was you we".split(" "),
)

function looksEnglish(prose: readonly string[]): boolean {
  return prose.filter((word) => COMMON.has(word.toLowerCase())).length * 12 >= prose.length
}

/** The description of a Flesch Reading Ease, for instance `plain English` for 60 to 70. */
export function easeInWords(ease: number): string {
  const steps: readonly [number, string][] = [
    [90, "very easy"],
    [80, "easy"],
    [70, "fairly easy"],
    [60, "plain English"],
    [50, "fairly hard"],
    [30, "hard"],
  ]
  return steps.find(([from]) => ease >= from)?.[1] ?? "very hard"
}
