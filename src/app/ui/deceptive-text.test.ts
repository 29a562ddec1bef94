import { expect, test } from "vitest"
import { mixedScripts } from "./deceptive-text.ts"

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
