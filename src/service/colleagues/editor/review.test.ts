import { describe, expect, test } from "vitest"
import { pathFor, understand } from "./editor.ts"
import { review, type Review, reviewMarkdown } from "./review.ts"

async function read(content: string, name = "file.md", mediaType = "text/markdown"): Promise<Review> {
  const read = await review({ name, mediaType, content })
  if ("reason" in read) throw new Error(read.reason)
  return read
}

const UNTIDY = "# Guide\n\nSee https://x.example for more.   \n\n\n\n### Deep\n* a\n\n```\ncode   \n```"

describe("a review", () => {
  test("has the problems that markdownlint finds, by line", async () => {
    const { problems } = await read(UNTIDY)
    expect(problems.map(({ line, rule }) => `${line} ${rule}`)).toEqual([
      "3 MD009",
      "3 MD034",
      "5 MD012",
      "6 MD012",
      "7 MD001",
      "7 MD022",
      "8 MD032",
      "10 MD040",
      "12 MD047",
    ])
  })

  test("has copies that change what their level permits", async () => {
    const { copies } = await read(UNTIDY)
    expect(copies.leave).toEqual({ content: UNTIDY, changes: 0 })
    expect(copies.tidy.content).toBe(
      "# Guide\n\nSee https://x.example for more.\n\n### Deep\n* a\n\n```\ncode   \n```\n",
    )
    expect(copies.repair.content).toBe(
      "# Guide\n\nSee <https://x.example> for more.\n\n### Deep\n\n* a\n\n```\ncode   \n```\n",
    )
    expect((await read(copies.repair.content)).copies.repair.changes).toBe(0)
  })

  test("of plain text looks at spaces alone, and comments switch no rule off", async () => {
    expect((await read("one  two   \nthree", "a.txt", "text/plain")).problems.map(({ rule }) => rule)).toEqual([
      "MD009",
      "MD047",
    ])
    expect((await read("# A\n\n<!-- markdownlint-disable -->\ntext")).problems.map(({ rule }) => rule)).toContain(
      "MD047",
    )
  })

  test.each([
    ["text/csv", "a,b", "The analyst"],
    ["application/json", "{}", "The analyst"],
    ["text/plain", " \n", "only spaces"],
    ["text/markdown", "a\u0000b", "NUL characters"],
  ])("of %s has a reason instead", async (mediaType, content, said) => {
    expect(await review({ name: "x", mediaType, content })).toMatchObject({ reason: expect.stringContaining(said) })
  })

  test("repeats no markup of the text in its report", async () => {
    const hostile = await read("# A\n\n[here](https://evil.example)\n\n[<b>x](#nowhere)\n")
    const report = reviewMarkdown("A title", "You chose.", [{ review: hostile, path: "clean/a", changes: 0 }], [])
    expect(report).toContain("line 3")
    expect(report).not.toMatch(/<b>|(?<!\\)\]\(|[^\\]:\/\//)
  })
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

test.each([
  ["repair", "repair"],
  ["Just tidy it, please", "tidy"],
  ["Do not repair, tidy", "tidy"],
  ["Leave it as it is", "leave"],
  ["don't change anything", "leave"],
  ["yes", "repair"],
  ["Fix everything", "repair"],
  ["Do not tidy only the headings: tidy all of it", "tidy"],
])("the answer %j means %s", (answer, level) => {
  expect(understand(answer, "repair", "Repair: it makes 2 changes.")).toMatchObject({ level, understood: true })
})

test("an answer without a level takes the recommendation and says so", () => {
  expect(understand("purple", "tidy", "Tidy: …")).toMatchObject({ level: "tidy", understood: false })
})
