import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { search } from "../../platform/testing/search.ts"
import { differingPlaces, findAlike, type Letter } from "./alike-letters.ts"
import { joinPlaces, textsAt } from "./shown-places.ts"
import type { Approval } from "../../contract/resources.ts"

const letterOf = (body: string, others: Partial<Letter> = {}): Letter => ({
  requested_by_colleague: "analyst",
  policy_reason: "A summary needs an approval",
  risk: "It can't be taken back",
  subject: "Your invoice",
  body,
  ...others,
})

let count = 0
const approvalOf = (letter: Letter): Approval => ({
  id: `approval_${++count}`,
  work_id: "work_1",
  action_id: "action_1",
  version: 1n,
  status: "pending",
  summary: "Send a letter",
  destination: "a@b.example",
  proposed_action_payload_hash: "sha256:00",
  created_at: "2026-11-01T00:00:00Z",
  ...letter,
})

/** The first letter with the other's texts in its places: it has to be the other letter. */
function replaced(first: Letter, other: Letter): Pick<Letter, "subject" | "body"> {
  const places = differingPlaces(first, other) ?? []
  const write = (part: "subject" | "body") => {
    let [text, at] = ["", 0]
    for (const place of places.filter((each) => each.part === part)) {
      text += first[part].slice(at, place.first[0]) + other[part].slice(...place.other)
      at = place.first[1]
    }
    return text + first[part].slice(at)
  }
  return { subject: write("subject"), body: write("body") }
}

/** The texts of the other letter at the places. */
const texts = (first: Letter, other: Letter) =>
  differingPlaces(first, other)?.map((place) => other[place.part].slice(...place.other))

const LINE = "The quarter was good and nothing has changed since then. "

describe("differingPlaces", () => {
  it.each<[string, string, string, string[]]>([
    ["no place in equal letters", LINE, LINE, []],
    [
      "one character of an address, as its whole word",
      `${LINE}Pay to ab@c.example.`,
      `${LINE}Pay to ad@c.example.`,
      ["ad"],
    ],
    ["an amount", `${LINE}Pay 1,204.00 now.`, `${LINE}Pay 9,204.00 now.`, ["9"]],
    ["a number of another length", `${LINE}Pay 90 now.`, `${LINE}Pay 1,000,090 now.`, ["1,000,090"]],
    ["white space alone", `${LINE}a b`, `${LINE}a  b`, ["  "]],
    ["a line break in place of a space", "a b", "a\nb", ["\n"]],
    ["a carriage return", "a\nb", "a\r\nb", ["\r\n"]],
    ["a hidden character", "a b", "a\u200Bb", ["\u200B"]],
    ["a direction", `${LINE}abc`, `${LINE}\u202Eabc`, ["\u202E"]],
    ["a combining character, although it looks like one letter", "caf\u00E9", "cafe\u0301", ["cafe\u0301"]],
    ["a Cyrillic letter", "Pay pal", "P\u0430y pal", ["P\u0430y"]],
    ["half of a surrogate pair", "\u{1F600}", "\u{1F601}", ["\u{1F601}"]],
    ["a lone surrogate", "a \uD83D b", "a \uD83D\uDE00 b", ["\uD83D\uDE00"]],
    ["a word more", `${LINE}Yes.`, `${LINE}Yes please.`, [" please"]],
    ["a word less", `${LINE}Yes please.`, `${LINE}Yes.`, [""]],
    ["an empty text", "", "abc", ["abc"]],
  ])("finds %s", (_, first, other, expected) => {
    expect(texts(letterOf(first), letterOf(other))).toEqual(expected)
    expect(replaced(letterOf(first), letterOf(other))).toEqual({ subject: "Your invoice", body: other })
  })

  it("finds places in the subject and in the body", () => {
    const first = letterOf(`${LINE}Anna`, { subject: "Invoice 1" })
    const other = letterOf(`${LINE}Ben`, { subject: "Invoice 2" })
    expect(differingPlaces(first, other)).toEqual([
      { part: "subject", first: [8, 9], other: [8, 9] },
      { part: "body", first: [57, 61], other: [57, 60] },
    ])
  })

  it.each<[string, keyof Letter]>([
    ["another colleague", "requested_by_colleague"],
    ["another reason", "policy_reason"],
    ["another risk", "risk"],
  ])("takes letters for not alike with %s", (_, member) => {
    expect(differingPlaces(letterOf(LINE), letterOf(LINE, { [member]: "other" }))).toBeUndefined()
  })

  const placed = (places: number, write: (index: number) => string) =>
    Array.from({ length: places }, (_, index) => `${write(index)} ${LINE}`).join("")

  it("takes ten places for alike, and eleven for not", () => {
    const letters = (places: number) =>
      [letterOf(placed(places, () => "one")), letterOf(placed(places, () => "two"))] as const
    expect(differingPlaces(...letters(10))).toHaveLength(10)
    expect(differingPlaces(...letters(11))).toBeUndefined()
  })

  it("counts the places of the subject too", () => {
    const first = letterOf(placed(10, () => "one"))
    expect(
      differingPlaces(
        first,
        letterOf(
          placed(10, () => "two"),
          { subject: "My invoice" },
        ),
      ),
    ).toBeUndefined()
  })

  it.each([
    ["letters", "x", "y"],
    ["single characters", "-", "+"],
    ["characters of two UTF-16 units", "\u{1F600}", "\u{1F601}"],
  ])("takes a place of 80 %s for alike, and of 81 for not, on either side", (_, one, two) => {
    const around = (text: string) => letterOf(`${LINE}(${text}) ${LINE}`)
    expect(texts(around(one), around(two.repeat(80)))).toEqual([two.repeat(80)])
    expect(texts(around(two.repeat(80)), around(one))).toEqual([one])
    expect(texts(around(one), around(two.repeat(81)))).toBeUndefined()
    expect(texts(around(two.repeat(81)), around(one))).toBeUndefined()
  })

  it("takes letters of other words for not alike", () => {
    const other = "Dear Ms Meier, please find our offer for a new roof, as we agreed by phone last week. ".repeat(12)
    expect(differingPlaces(letterOf(LINE.repeat(18)), letterOf(other))).toBeUndefined()
  })
})

const token = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "a",
      "b",
      "ab",
      " ",
      "  ",
      "\n",
      ".",
      "@",
      "\u200B",
      "\u0301",
      "\u{1F600}",
      "\uD83D",
      "\r\n",
      "1",
    ),
  },
  fc.string({ unit: "binary", maxLength: 3 }),
)
const text = fc.array(token, { maxLength: 60 }).map((tokens) => tokens.join(""))

/** A letter of sentences that are all different, and the same letter with other texts in up to twelve places. */
const changes = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 29 }), text: fc.stringMatching(/^[a-z ,.\n]{0,90}$/) }),
  { maxLength: 12 },
)
const SENTENCES = Array.from(
  { length: 30 },
  (_, index) =>
    `Sentence ${String.fromCodePoint(97 + (index % 26))}${index} says one thing that no other sentence says`,
)

describe.each([{ runs: 300 }])("searching", (options) => {
  it("every unequal code point is in a place of at most 80, and there are at most ten places, whatever the texts are", async () => {
    let alike = 0
    await search(fc.tuple(text, text, text, text), options, ([subject, body, otherSubject, otherBody]) => {
      const [first, other] = [letterOf(body, { subject }), letterOf(otherBody, { subject: otherSubject })]
      const places = differingPlaces(first, other)
      if (places === undefined) return
      alike += 1
      expect(replaced(first, other)).toEqual({ subject: otherSubject, body: otherBody })
      expect(places.length).toBeLessThanOrEqual(10)
      for (const place of places) {
        const sides = [first[place.part].slice(...place.first), other[place.part].slice(...place.other)]
        expect(sides[0]).not.toBe(sides[1])
        for (const side of sides) expect(Array.from(side).length).toBeLessThanOrEqual(80)
      }
    })
    expect(alike).toBeGreaterThan(0)
  })

  it("letters with few short changes are alike, and the shown texts say each change", async () => {
    await search(changes, options, (changed) => {
      const sentences = [...SENTENCES]
      for (const change of changed) sentences[change.at] = `${SENTENCES[change.at]} (${change.text})`
      const count = new Set(changed.map(({ at }) => at)).size
      const isShort = changed.every((change) => change.text.length + 3 <= 80)
      const [first, other] = [letterOf(SENTENCES.join(". ")), letterOf(sentences.join(". "))]
      const places = differingPlaces(first, other)
      if (count <= 10 && isShort) expect(places).toBeDefined()
      expect(replaced(first, places === undefined ? first : other).body).toBe(
        places === undefined ? first.body : other.body,
      )
    })
  })

  it("a group shows in its first letter all places of all its letters, and what stands there in each of them", async () => {
    await search(fc.tuple(changes, changes), options, (each) => {
      const first = letterOf(SENTENCES.join(". "))
      const others = each.map((changed) => {
        const sentences = [...SENTENCES]
        for (const change of changed) sentences[change.at] = change.text.slice(0, 40)
        return letterOf(sentences.join(". "))
      })
      const rows = others.flatMap((other) => {
        const places = differingPlaces(first, other)
        return places === undefined ? [] : [{ other, places }]
      })
      const shown = joinPlaces(
        first,
        rows.map(({ places }) => places),
      )
      for (const { other, places } of rows) {
        let [written, at] = ["", 0]
        textsAt(shown, other, places).forEach((text, index) => {
          const place = shown[index]
          if (place === undefined) throw new Error("a text without a place")
          written += first.body.slice(at, place.from) + text
          at = place.to
        })
        expect(written + first.body.slice(at)).toBe(other.body)
      }
    })
  })
})

describe("findAlike", () => {
  const entries = (letters: readonly Letter[]) =>
    letters.map((letter, index) => ({ key: String(index), item: approvalOf(letter) }))
  const groupsOf = (letters: readonly Letter[]) => [
    ...new Set([...findAlike(entries(letters)).values()].map(({ keys }) => keys.join(" "))),
  ]

  it("groups the letters in the order of the list, and leaves single letters out", () => {
    const other = { risk: "Another risk" }
    const letters = [
      letterOf(`${LINE}1`),
      letterOf("x", other),
      letterOf("y", { risk: "A third" }),
      letterOf(`${LINE}2`),
      letterOf("z", other),
    ]
    expect(groupsOf(letters)).toEqual(["0 3", "1 4"])
  })

  it("begins another group after 50 letters", () => {
    const letters = Array.from({ length: 103 }, (_, index) => letterOf(`${LINE}${index}`))
    const sizes = [...new Set(findAlike(entries(letters)).values())].map(({ keys }) => keys.length)
    expect(sizes).toEqual([50, 50, 3])
  })

  it("leaves out what nobody can read", () => {
    const hidden = letterOf("\u200B\u200C".repeat(1_001))
    expect(findAlike(entries([hidden, hidden])).size).toBe(0)
  })

  it.each<[string, number, (index: number) => string]>([
    ["one letter but for its end", 2, (index) => `${"lorem ipsum ".repeat(8_000)}${index}`],
    ["one word", 0, (index) => `${"x".repeat(100_000)}${index}`],
    ["one token again and again", 0, (index) => `${"- ".repeat(2_000 * index)}${"-".repeat(400_000 - 4_000 * index)}`],
    ["two tokens in two orders", 0, (index) => "ab ".repeat(15_000 + 99 * index) + "ba ".repeat(15_000 - 99 * index)],
    ["nothing in common", 0, (index) => `w${index} `.repeat(20_000)],
    [
      "a difference in every line",
      0,
      (index) => Array.from({ length: 3_000 }, (_, line) => `line ${line} is ${line * index} of 9`).join("\n"),
    ],
    ["few words in ever new orders", 0, (index) => shuffled(index, 20_000)],
  ])("compares 100 letters of 100 kB in as many steps as they have characters: %s", (_, groups, write) => {
    const letters = entries(Array.from({ length: 100 }, (_each, index) => letterOf(write(index))))
    const units = letters.reduce((sum, { item }) => sum + item.body.length, 0)
    const steps = { left: 2 * units }
    expect(new Set(findAlike(letters, steps).values()).size).toBe(groups)
    // The last comparison may take the steps of one pair.
    expect(steps.left).toBeGreaterThan(-20 * 100_000)
  })

  it("compares a letter with at most 500 others", () => {
    const letters = entries(Array.from({ length: 600 }, (_, index) => letterOf(`w${index} `.repeat(400))))
    findAlike(letters, { left: Infinity })
    // One step for each pair that was compared before: the last 99 letters leave 1 to 99 others out.
    const steps = { left: (600 * 599) / 2 - (99 * 100) / 2 }
    findAlike(letters, steps)
    expect(steps.left).toBe(0)
  })

  it("compares what was left when the steps had ended with the next change of the list", () => {
    const letters = entries(Array.from({ length: 20 }, (_, index) => letterOf(`${LINE.repeat(100)}${index}`)))
    let rounds = 0
    while (findAlike(letters, { left: 20_000 }).size < 20) rounds += 1
    expect(rounds).toBeGreaterThan(0)
  })
})

/** A text of few words, in another order for each index. */
function shuffled(index: number, words: number): string {
  let state = index + 1
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return ["the", "a", "of", "in"][state >>> 30]
  }).join(" ")
}
