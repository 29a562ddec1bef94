import { expect, test } from "vitest"
import { splitTitle } from "./cut-title.tsx"

test.each([
  ["Short", ["", "Short"]],
  [
    "Send the profile of october-invoices.csv to payments@halden.example",
    ["Send the profile of october-invoices.csv ", "to payments@halden.example"],
  ],
  ["Which column of seattle-weather.csv matters most?", ["Which column of seattle-weather.csv ", "matters most?"]],
])("%s is parted before a word", (title, parts) => {
  expect(splitTitle(title)).toEqual(parts)
})

test("a title without a space is parted between two characters, and nothing of a title is lost", () => {
  for (const title of ["x".repeat(300), "\u{1F4E8}".repeat(100), `${"y".repeat(40)} ${"z".repeat(90)}`]) {
    const parts = splitTitle(title)
    expect(parts.join("")).toBe(title)
    expect(parts.every((part) => part.isWellFormed() && part !== "")).toBe(true)
  }
})
