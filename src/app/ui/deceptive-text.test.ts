import { expect, test } from "vitest"
import { rectifyConfusion } from "unicode-confusables"
import { disguisedLabels, LOOKS_LATIN, mixedScripts } from "./deceptive-text.ts"

test.each([
  ["Latin with a Cyrillic letter", "Pay p\u0430ypal now", [{ word: "p\u0430ypal", scripts: ["Latin", "Cyrillic"] }]],
  ["Latin with a Greek letter", "micr\u03BFsoft", [{ word: "micr\u03BFsoft", scripts: ["Latin", "Greek"] }]],
  ["Cyrillic with a Latin letter", "пpивет", [{ word: "пpивет", scripts: ["Cyrillic", "Latin"] }]],
  [
    "a mix that a zero-width character splits",
    "pay\u200Bp\u0430l",
    [{ word: "pay\u200Bp\u0430l", scripts: ["Latin", "Cyrillic"] }],
  ],
  [
    "a mix in a part of an address",
    "https://\u0440aypal.com/x",
    [{ word: "\u0440aypal", scripts: ["Cyrillic", "Latin"] }],
  ],
  ["Han with Cyrillic", "漢б", [{ word: "漢б", scripts: ["Han", "Cyrillic"] }]],
  ["Cherokee that looks like Latin", "\u13AAood", [{ word: "\u13AAood", scripts: ["Cherokee", "Latin"] }]],
])("finds %s", (_, text, expected) => {
  expect(mixedScripts(text)).toEqual(expected)
})

test("names every word once", () => {
  expect(mixedScripts("p\u0430y p\u0430y b\u0435d")).toHaveLength(2)
})

test.each([
  ["accents alone", "Ångström café naïve Zürich e\u0301te\u0301"],
  ["two scripts in two words", "Москва and Αθήνα and Paris"],
  ["Japanese with its three scripts and Latin", "JSONファイルを確認する Tシャツ 東京タワー"],
  ["Korean with Han, Chinese with Bopomofo", "大韓민국 漢ㄅ"],
  ["digits, punctuation and symbols", "A4 №5 10€ 3.5µm x²"],
  ["emoji within a word", "ok👍good"],
  ["nothing", ""],
])("takes %s for no mix", (_, text) => {
  expect(mixedScripts(text)).toEqual([])
})

test.each([
  ["a domain", "\u0440\u0430\u0443.com", ["\u0440\u0430\u0443"], ["Cyrillic"]],
  [
    "a domain within an address and a sentence",
    "Write to pay@\u0440\u0430\u0443.com.",
    ["\u0440\u0430\u0443"],
    ["Cyrillic"],
  ],
  ["a name before the @", "\u03BFx@halden.example", [], []],
  ["a Greek name", "\u03BF\u03BD@halden.example", ["\u03BF\u03BD"], ["Greek"]],
  ["a label with digits and a hyphen", "https://\u0430-\u04CF2.example/x", ["\u0430-\u04CF2"], ["Cyrillic"]],
  ["a label that a zero-width character splits", "\u0440\u200B\u0443.com", ["\u0440\u200B\u0443"], ["Cyrillic"]],
  ["an ideographic full stop", "\u0440\u0430\u0443\u3002com", ["\u0440\u0430\u0443"], ["Cyrillic"]],
  ["a Russian domain", "пример.com", [], []],
  ["a Russian address without a Latin label", "\u0440\u0430\u0443.рф", [], []],
  ["running text", "Он сказал: \u0441\u043E\u0440 и \u043E\u0441\u0430. \u0443 нас", [], []],
  ["a sentence after a sentence", "в \u0440\u043E\u0441\u0443. See this.", [], []],
])("finds the labels that only look Latin in %s", (_, text, labels, scripts) => {
  const found = disguisedLabels(text)
  expect(found.map(({ word }) => word)).toEqual(labels)
  expect([...new Set(found.flatMap((label) => label.scripts))]).toEqual(scripts)
})

test("knows every letter of these scripts that Unicode calls confusable with a Latin letter", () => {
  for (const [script, letters] of Object.entries(LOOKS_LATIN)) {
    const ofScript = new RegExp(`^(?=\\p{L})\\p{Script=${script}}$`, "u")
    const confusable = Array.from({ length: 0x30000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80)).filter(
      (letter) =>
        ofScript.test(letter) && letter.normalize("NFKD") === letter && /^[a-z]$/i.test(rectifyConfusion(letter)),
    )
    expect(letters).toBe(confusable.join(""))
  }
})
