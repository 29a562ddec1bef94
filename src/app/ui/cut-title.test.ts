import { expect, test } from "vitest"
import { splitTitle } from "./cut-title.tsx"

test.each([
  ["Short", ["", "Short"]],
  [
    "Send the profile of october-invoices.csv to payments@halden.example",
    ["Send the profile of october-invoices.csv ", "to payments@halden.example"],
  ],
  ["Which column of seattle-weather.csv matters most?", ["Which column of seattle-weather.csv ", "matters most?"]],
])("%s is split before a word", (title, parts) => {
  expect(splitTitle(title)).toEqual(parts)
})

test("a word is never split, and no part of a title is lost", () => {
  for (const title of [
    "Send the profile to https://museum.example/hooks/exhibits",
    "x".repeat(300),
    "\u{1F4E8}".repeat(100),
    `${"y".repeat(40)} ${"z".repeat(90)}`,
    "A title that ends with a space, which is odd ",
  ]) {
    const [beginning, end] = splitTitle(title)
    expect(beginning + end).toBe(title)
    expect(end).not.toBe("")
    expect(beginning).toMatch(/(?:^|\s)$/)
  }
})
