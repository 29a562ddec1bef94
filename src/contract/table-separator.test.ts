import { expect, test } from "vitest"
import { findSeparator } from "./table-separator.ts"

test.each([
  ["commas", "a,b\n1,2\n", ","],
  ["semicolons", "a;b\n1;2\n", ";"],
  ["tabs", "a\tb\n1\t2\n", "\t"],
  ["vertical bars", "a|b\n1|2\n", "|"],
  ["one comma in each line of a semicolon file", "Artikel;Preis, netto\nNagel;1,50\nBrett;12,75\n", ";"],
  ["decimal commas in each column", "x;y\n1,5;2,5\n3,5;4,5\n", ";"],
  ["commas in tabbed cells", "Name, Vorname\tOrt\nMuster, Anna\tBonn\n", "\t"],
  ["semicolons in quoted cells of a comma file", 'a,b\n"1;2",3\n"4;5",6\n', ","],
  ["a separator after a quoted line break", 'a;b\n"one\n, ""two"", three";2\n', ";"],
  ["semicolons in a few cells of a comma file", "a,b,c\nx;y,1,2\nz,3,4\n", ","],
  ["a vertical bar in the header alone", "a|b,c\n1,2\n3,4\n", ","],
  ["one ragged row", `a,b\n${"1;,2\n".repeat(9)}1,2,3;4;5\n`, ","],
  ["lines that end with CR", "a;b\r1,5;2\r", ";"],
  ["one column", "a\n1\n2\n", ","],
  ["nothing", "", ","],
])("the separator is found with %s", (_, content, separator) => {
  expect(findSeparator(content)).toEqual({ separator, text: content })
})

test.each([
  ["sep=;\nName;Betrag\nMuster;1.234,50\n", ";", "Name;Betrag\nMuster;1.234,50\n"],
  ["\uFEFFSEP=,\r\na;b,c\r\n", ",", "a;b,c\r\n"],
  ['"sep=\t"\na,b\tc\n', "\t", "a,b\tc\n"],
  ["sep=;", ";", ""],
])("the first line %j names the separator and is no row", (content, separator, text) => {
  expect(findSeparator(content, { mediaType: "text/csv", name: "a.tsv" })).toEqual({ separator, text })
})

test.each([
  { mediaType: "text/tab-separated-values" },
  { mediaType: "Text/Tab-Separated-Values; charset=utf-8" },
  { name: "Names.TSV" },
  { name: "names.tab", mediaType: "text/plain" },
])("a file of %j has tabs, whatever its cells contain", (file) => {
  expect(findSeparator("Name, Vorname\nMuster, Anna\n", file).separator).toBe("\t")
})

test("a record that the beginning of a large file cuts does not count", () => {
  const content = `a,b\n"${"x".repeat(100_000)}\n1;2;3\n`
  expect(findSeparator(content).separator).toBe(",")
})
