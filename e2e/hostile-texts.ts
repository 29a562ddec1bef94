/** Texts designed to be slow to parse, lay out or read. They are the same in each run. */

export type HostileText = { readonly name: string; readonly mediaType: string; readonly content: string | Buffer }

const MEGABYTE = 1_000_000
/** Up to the largest result that a preview shows in full. */
const SIZES = [20_000, 50_000, 400_000, 2 * MEGABYTE] as const

/** Repeats `piece` up to `size` characters. */
const fill = (piece: string, size: number) => piece.repeat(Math.max(1, Math.floor(size / piece.length)))
const columns = (cell: string, count: number) => `|${`${cell}|`.repeat(count)}\n`

type Maker = (size: number) => string | Buffer

const markdown: Readonly<Record<string, Maker>> = {
  "quotes within quotes": (size) => fill(`${">".repeat(200)} a\n`, size),
  "lazy quotes": (size) => fill("> a\nb\n", size),
  "lists within lists": (size) =>
    fill(Array.from({ length: 60 }, (_, at) => `${" ".repeat(at * 2)}- a\n`).join(""), size),
  "wide table": (size) => columns("a", 500) + columns("-", 500) + fill(columns("b", 500), size),
  "long table": (size) => `|a|b|\n|-|-|\n${fill("|1|2|\n", size)}`,
  "open brackets": (size) => fill("[", size),
  "open links": (size) => fill("[a](<b", size),
  "emphasis that never ends": (size) => fill("*a **b __c _d ", size),
  "runs of backticks": (size) =>
    Array.from({ length: Math.ceil(Math.sqrt(size)) }, (_, at) => "`".repeat(at % 900))
      .join(" ")
      .slice(0, size),
  definitions: (size) => fill("[a]: /b\n\n[a] ", size),
  "setext headings": (size) => fill("a\n=\n", size),
  HTML: (size) => fill("<div><!-- a ", size),
  entities: (size) => fill("&amp;&#x202e;&copy", size),
  images: (size) => fill("![a](https://evil.example/a.png) ", size),
  footnotes: (size) => fill("[^a]\n\n[^a]: b\n\n", size),
}

const csv: Readonly<Record<string, Maker>> = {
  "unclosed quotation mark": (size) => `a,b\n"1,${fill("x,y\n", size)}`,
  "quotation marks": (size) => fill('"', size),
  separators: (size) => fill(",", size),
  "many rows": (size) => fill("1,2,3\n", size),
  "many columns": (size) => `${fill("a,", Math.min(size, 40_000))}\n${fill("1,", size)}`,
  "one long cell": (size) => `a,b\n1,${fill("x", size)}`,
  formulas: (size) => fill("=cmd|'/C calc'!A0,+1,-1,@SUM(A1)\n", size),
  "right-to-left cells": (size) => fill("\u202E\u05D0,\u200B\u2066\n", size),
  "mixed line ends": (size) => fill("a;b\r\nc\td\re,f\n", size),
}

const json: Readonly<Record<string, Maker>> = {
  "arrays within arrays": (size) => "[".repeat(size / 2) + "]".repeat(size / 2),
  "objects within objects": (size) => `${fill('{"a":', size)}1`,
  "one long string": (size) => `"${fill("x", size)}"`,
  "many members": (size) => `{${Array.from({ length: Math.ceil(size / 14) }, (_, at) => `"${at}":0`).join(",")}}`,
  "many numbers": (size) => `[${fill("1,", size)}1]`,
  "long number": (size) => fill("9", size),
  escapes: (size) => `"${fill("\\u202e\\ud83d", size)}"`,
  "no JSON": (size) => `{${fill('"a":1,', size)}`,
  prototypes: (size) => `[${fill('{"__proto__":{"x":1}},', size)}1]`,
}

const text: Readonly<Record<string, Maker>> = {
  "one long line": (size) => fill("x", size),
  "line ends": (size) => fill("\n", size),
  spaces: (size) => fill(" ", size),
  "invisible characters": (size) => fill("\u200B\u2060", size),
  overrides: (size) => fill("\u202Ea\u202C", size),
  "marks upon marks": (size) => `a${fill("\u0301\u0489", size)}`,
  "joined emoji": (size) => fill("\u{1F468}\u200D\u{1F469}\u200D", size),
  "scripts that mix": (size) => fill("p\u0430yp\u0430l \u05D0\u0915\u4E00 ", size),
  "control characters": (size) => fill("\u001B[31m\0\b", size),
  "no UTF-8": (size) => Buffer.alloc(size, 0xff),
}

const KINDS = [
  ["text/markdown", "md", markdown],
  ["text/csv", "csv", csv],
  ["application/json", "json", json],
  ["text/plain", "txt", text],
] as const

/** Every text in every size: about two hundred. */
export const hostileTexts: readonly HostileText[] = KINDS.flatMap(([mediaType, extension, makers]) =>
  Object.entries(makers).flatMap(([name, make]) =>
    SIZES.map((size) => ({ name: `${name} ${String(size)}.${extension}`, mediaType, content: make(size) })),
  ),
)

/** The texts of letters. */
export const hostileLetters: readonly { readonly name: string; readonly body: string }[] = Object.entries({
  ...text,
  ...markdown,
}).flatMap(([name, make]) => {
  const body = make(20_000)
  return typeof body === "string" ? [{ name, body }] : []
})
