import { describe, expect, test } from "vitest"
import { pathFor } from "./editor.ts"
import { understand } from "./answer.ts"
import { clean, repairedLevels } from "./clean.ts"
import { readText } from "./document.ts"
import type { Text } from "./document.ts"
import { measure, sentencesOf, syllables } from "./measure.ts"
import { LONGEST } from "./answer.ts"
import { slug } from "./link-problem.ts"
import { problemsOf } from "./problem.ts"

function text(content: string, name = "file.md", mediaType = "text/markdown"): Text {
  const read = readText({ name, mediaType, content })
  if ("reason" in read) throw new Error(read.reason)
  return read
}

const messages = (content: string, kind: string): string[] =>
  problemsOf(text(content), LONGEST).flatMap((problem) =>
    problem.kind === kind ? [`${problem.line}: ${problem.message}`] : [],
  )

describe("reading", () => {
  test("finds the headings and their lines, also after front matter, and none in code", () => {
    const { headings } = text("---\ntitle: x\n---\n# One\n\n```\n# no\n```\n\nTwo\n---\n\n> # quoted\n\n### *Three*\n")
    expect(headings).toEqual([
      { level: 1, text: "One", line: 4 },
      { level: 2, text: "Two", line: 10 },
      { level: 3, text: "Three", line: 15 },
    ])
  })

  test.each([
    ["text/csv", "a,b", "The analyst"],
    ["application/json", "{}", "The analyst"],
    ["text/plain", " \n", "only spaces"],
    ["text/markdown", "a\u0000b", "zero bytes"],
  ])("refuses %s with a reason", (mediaType, content, said) => {
    expect(readText({ name: "x", mediaType, content })).toMatchObject({ reason: expect.stringContaining(said) })
  })

  test("reads Markdown as plain text if its blocks would take too long to find", () => {
    expect(text("- a\n$".repeat(20_000)).format).toBe("plain text")
  })
})

describe("measuring", () => {
  // Counted by hand: 13 words in 3 sentences, each of one syllable but "happy".
  const measures = measure(text("# The title\n\nThe cat sat on the mat. It was happy. Dr. Who saw it.\n"))

  test("counts the words of headings but not their sentences, and ends no sentence after “Dr.”", () => {
    expect(measures).toMatchObject({ words: 15, sentences: 3, paragraphs: 1 })
    expect(measures.wordsPerSentence).toBeCloseTo(13 / 3, 10)
  })

  test("computes Flesch's formulas from words, sentences and syllables", () => {
    const syllablesPerWord = 14 / 13
    expect(measures.readability?.syllablesPerWord).toBeCloseTo(syllablesPerWord, 10)
    expect(measures.readability?.ease).toBeCloseTo(206.835 - 1.015 * (13 / 3) - 84.6 * syllablesPerWord, 10)
    expect(measures.readability?.grade).toBeCloseTo(0.39 * (13 / 3) + 11.8 * syllablesPerWord - 15.59, 10)
  })

  test.each([
    ["cat", 1],
    ["the", 1],
    ["make", 1],
    ["table", 2],
    ["jumped", 1],
    ["wanted", 2],
    ["readability", 5],
    ["rhythm", 1],
    ["2026", 1],
  ])("%s has %i syllables by the rule", (word, expected) => {
    expect(syllables(word)).toBe(expected)
  })

  test("gives no readability for a text that is not English", () => {
    expect(
      measure(text("Der Hund bellt laut. Die Katze schläft den ganzen Tag und träumt.")).readability,
    ).toBeUndefined()
  })

  test("ends each sentence at the end of its paragraph or list entry", () => {
    expect(sentencesOf(text("- one entry\n- another entry\n\nA paragraph\n\nAnother")).map(({ line }) => line)).toEqual(
      [1, 2, 4, 6],
    )
  })
})

describe("problems", () => {
  test("of headings", () => {
    expect(messages("## A\n\n#### B\n\n## a\n", "heading")).toEqual([
      "1: the text has no level 1 heading: its first heading, “A”, has level 2",
      "3: “B” has level 4, but the heading before it has level 2",
      "5: “a” repeats the heading on line 1",
    ])
    expect(messages("# A\n\n# B\n", "heading")).toEqual(["3: “B” is one more level 1 heading"])
    expect(messages("Text.\n", "heading")).toEqual(["1: the text has no heading"])
  })

  test.each([
    ["[a]()", "the link “a” has no target"],
    ["[](https://x.example)", "has no text"],
    ["![](p.png)", "no alternative text"],
    ["[a](htp://x.example)", "malformed target"],
    ["[a](http:/x.example)", "malformed target"],
    ["[a](www.x.example)", "malformed target"],
    ["see https://x.example/a", "has no link text"],
    ["[here](https://x.example)", "does not say where"],
    ["[a](#nowhere)", "no heading has that anchor"],
    ["[a](http://x y.example)", "contains a space"],
    ["(a)[https://x.example]", "are the wrong way round"],
    ["[a][nowhere]", "is not defined"],
    ["[a](https://x.example) [b](https://x.example)", "and “a” on line 3 lead to the same address"],
    ["[a](https://x.example) [a](https://y.example)", "leads to “https://y.example” here"],
  ])("of links: %s", (content, said) => {
    expect(messages(`# A\n\n${content}\n`, "link")).toEqual([expect.stringContaining(said)])
  })

  test.each([
    '[a](https://x.example "title")',
    "[to A](#a)",
    "[a][ref]\n\n[ref]: https://x.example",
    "`https://x.example`",
    "<https://x.example>",
    "![a cat](cat.png)",
    "`[a]()`",
  ])("none of links: %s", (content) => {
    expect(messages(`# A\n\n${content}\n`, "link")).toEqual([])
  })

  test("of repeated words, across a line end, but not across code or marks", () => {
    expect(
      messages("# A\n\nThe the cat sat on\non the `the` the mat. Had had, 2 2, a-b b.\n", "repeated_word"),
    ).toEqual([
      "3: “The” stands twice in a row",
      "3: “on” stands twice in a row",
      "4: “Had” stands twice in a row, perhaps on purpose",
    ])
  })

  test("of sentences that are longer than the given length", () => {
    const content = text(`# A\n\nOne two three four five six seven eight nine ten eleven twelve thirteen. Short one.\n`)
    expect(problemsOf(content, 12)).toMatchObject([{ kind: "long_sentence", line: 3 }])
    expect(problemsOf(content, 13)).toEqual([])
  })

  test("an anchor is made as GitHub makes it", () => {
    expect(slug("What's *new* in 2.0?")).toBe("whats-new-in-20")
  })
})

describe("cleaning", () => {
  const untidy =
    "## Title  \n\n\n\nThe the cat sat on\non the mat.  \nA break above. Had had.\n\n#### Deep\n\n```\nthe the   \n\n\nx\n```\n\n- a\n  ```\n  of of  \n  ```"

  test("changes what the level permits", () => {
    expect(clean(text(untidy), "leave")).toEqual({ content: untidy, changes: [] })
    expect(clean(text(untidy), "tidy").content).toBe(
      "## Title\n\nThe the cat sat on\non the mat.  \nA break above. Had had.\n\n#### Deep\n\n```\nthe the   \n\n\nx\n```\n\n- a\n  ```\n  of of  \n  ```\n",
    )
    expect(clean(text(untidy), "repair").content).toBe(
      "# Title\n\nThe cat sat on\nthe mat.  \nA break above. Had had.\n\n## Deep\n\n```\nthe the   \n\n\nx\n```\n\n- a\n  ```\n  of of  \n  ```\n",
    )
  })

  test("finds nothing to change in its own cleaned copy", () => {
    const { content } = clean(text(untidy), "repair")
    expect(clean(text(content), "repair")).toEqual({ content, changes: [] })
  })

  test("lists every change", () => {
    expect(clean(text(untidy), "repair").changes.map(({ what }) => what)).toEqual([
      "a repeated “The” removed",
      "a repeated “on” removed",
      "the heading “Title” moved from level 2 to level 1",
      "the heading “Deep” moved from level 4 to level 2",
      "blanks taken off the end of 1 line",
      "2 surplus empty lines removed",
      "the last line ended",
    ])
  })

  test("rewrites an underlined heading whose level changes, and removes CRs and a byte order mark", () => {
    expect(clean(text("\uFEFFTitle\r\n-----\r\n\r\nText\r\n"), "repair").content).toBe("# Title\n\nText\n")
  })

  test.each([
    [
      [1, 3, 3, 2],
      [1, 2, 2, 2],
    ],
    [
      [2, 3, 4],
      [1, 2, 3],
    ],
    [
      [2, 2],
      [2, 2],
    ],
    [
      [1, 2, 1, 4],
      [1, 2, 1, 2],
    ],
    [
      [3, 2, 4],
      [3, 2, 3],
    ],
  ])("levels %j become %j", (levels, repaired) => {
    expect(repairedLevels(levels.map((level) => ({ level })))).toEqual(repaired)
  })

  test.each([
    ["notes.md", "clean/notes.md"],
    ["../../etc/passwd", "clean/.._.._etc_passwd"],
    ["..", "clean/text"],
    ["a\u0000b\\c", "clean/a_b_c"],
  ])("a copy of %j lies at %s", (name, path) => {
    expect(pathFor(name, new Set())).toBe(path)
  })

  test("two inputs of one name have two copies", () => {
    const taken = new Set<string>()
    expect([pathFor("a.md", taken), pathFor("a.md", taken)]).toEqual(["clean/a.md", "clean/a (2).md"])
  })
})

test.each([
  ["repair", "repair", 30],
  ["Just tidy it, please", "tidy", 30],
  ["Do not repair, tidy; 25 words", "tidy", 25],
  ["Leave it as it is", "leave", 30],
  ["don't change anything", "leave", 30],
  ["yes", "repair", 30],
  ["Fix everything", "repair", 30],
])("the answer %j means %s with %i words", (answer, level, longest) => {
  expect(understand(answer, "repair", "Repair: it makes 2 changes.")).toMatchObject({
    level,
    longest,
    understood: true,
  })
})

test("an answer without a level takes the recommendation and says so", () => {
  expect(understand("purple", "tidy", "Tidy: …")).toMatchObject({ level: "tidy", understood: false })
})
