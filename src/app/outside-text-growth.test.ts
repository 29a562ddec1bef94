/** Every function of the app that reads text from outside. With twice the text each takes about twice the time: a hostile text blocks no page. */
import { describe, expect, it } from "vitest"
import { fold } from "../contract/find-words.ts"
import { plainForm } from "../contract/same-text.ts"
import { summariseData } from "./activity/event-line.ts"
import { previewKind } from "./artifacts/preview-source.ts"
import { textBlocks } from "./artifacts/preview-blocks.ts"
import { readTable } from "./artifacts/preview-table.ts"
import { readContentHash } from "./artifacts/read-artifact.ts"
import { withChange } from "./new-work/fill-from.ts"
import { readText } from "./new-work/read-input-file.ts"
import { readTimeLimit } from "./new-work/time-limit.ts"
import { wordsOf } from "./shell/palette-entries.ts"
import { disguisedLabels, mixedScripts } from "./ui/deceptive-text.ts"
import { isJson, layOutJson, onOneLine } from "./ui/json-text.ts"
import { hasTooManyMarks, splitHidden, writeHidden } from "./ui/hidden-characters.ts"
import { archivePaths, safeArchivePath, safeFileName } from "./ui/save-file.ts"
import { writeWorkExport } from "./work/work-export.ts"

const artifact = (path: string, mediaType = "") => ({
  id: "art_1",
  work_id: "work_1",
  path,
  media_type: mediaType,
  size: 1n,
  version: 1n,
  content_hash: "",
  created_at: "",
})
const none = { items: [] }
const work = {
  id: "work_1",
  title: "",
  status: "done",
  colleague_id: "analyst",
  human_owner_id: "owner",
  visibility_scope: "private",
  priority: "normal",
  version: 1n,
  created_by: "owner",
  created_at: "",
  updated_at: "",
} as const
const exported = (text: string) =>
  writeWorkExport({
    work: { ...work, objective: text },
    attention: none,
    answered: [],
    approvals: none,
    artifacts: none,
    events: [],
  })

/**
 * The functions, by their names. A new function that reads text from outside is added here. Only the parser of Markdown is left out: some
 * texts take it quadratic time, and the deadline of the preview's worker ends it.
 */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  mixedScripts,
  disguisedLabels,
  splitHidden,
  writeHidden,
  hasTooManyMarks: (text) => hasTooManyMarks([text]),
  isJson,
  layOutJson,
  "layOutJson with a limit": (text) => layOutJson(text, 1_000_000),
  onOneLine,
  textBlocks,
  "readTable of CSV": (text) => readTable(text, true),
  "readTable of TSV": (text) => readTable(text, true, { name: "a.tsv" }),
  fold,
  plainForm,
  wordsOf,
  safeFileName,
  safeArchivePath,
  "archivePaths of many equal paths": (text) => archivePaths(text.slice(0, text.length / 20).split("")),
  readContentHash,
  "previewKind of a path": (text) => previewKind(artifact(text)),
  "previewKind of a media type": (text) => previewKind(artifact("", text)),
  withChange: (text) => withChange("", text),
  "readText of a name": (text) => readText(text, "content"),
  "readText of a content": (text) => readText("a.txt", text),
  readTimeLimit,
  summariseData: (text) => summariseData(text, 0),
  writeWorkExport: exported,
}

/** What has made some reader of text slow: a piece that is repeated, and an end that keeps a pattern from matching. */
const PIECES = [
  "a",
  " ",
  ".",
  "1",
  "\n",
  "\r\n",
  "`",
  "` ",
  "[",
  "{",
  '{"a":',
  '"',
  '\\"',
  "a,",
  ",",
  ";",
  "> ",
  "- ",
  "a*",
  "|",
  "é",
  "漢",
  "a\u0430",
  "\u0430.",
  "\u0430@",
  "\u200B",
  "\u0301",
  "\u{1F469}\u200D",
  "\u{1F1E6}",
  "\uD83D",
] as const
const ENDS = ["", "x"] as const

/** Repeats `piece` to about `length` characters. */
const textOf = (piece: string, end: string, length: number) => piece.repeat(Math.ceil(length / piece.length)) + end

/** The longest text that is tried, and a time in which a reader can be measured: a faster reader is not slow for any page. */
const LONGEST = 100_000
const MEASURABLE_MS = 12
/** The text is doubled three times, because caches and garbage make a single doubling look like more. */
const TIMES_LONGER = 2 ** 3
const TIMES_SLOWER = 2.5 ** 3
/** How often both lengths are measured: the least, because the first runs also compile, and the most. */
const ROUNDS_MIN = 3
const ROUNDS_MAX = 30

/** The time in ms that `read` takes for `text`, `times` times. */
function timeOf(read: (text: string) => unknown, text: string, times = 1): number {
  const begin = performance.now()
  for (let time = 0; time < times; time++) read(text)
  return performance.now() - begin
}

/** Whether twice the text takes at most 2.5 times the time. Other programs make single measurements longer, so the shortest ones count. */
function growsLikeItsText(read: (text: string) => unknown, piece: string, end: string): boolean {
  for (let length = 800; length * TIMES_LONGER <= LONGEST; length *= 2) {
    const [short, long] = [textOf(piece, end, length), textOf(piece, end, length * TIMES_LONGER)]
    if (timeOf(read, long) < MEASURABLE_MS) continue
    let [one, other] = [Infinity, Infinity]
    for (let round = 0; round < ROUNDS_MIN || (round < ROUNDS_MAX && other > one * TIMES_SLOWER); round++) {
      // As often as the long text is longer, so that both are measured over the same time.
      one = Math.min(one, timeOf(read, short, TIMES_LONGER) / TIMES_LONGER)
      other = Math.min(other, timeOf(read, long))
    }
    return other <= one * TIMES_SLOWER
  }
  return true
}

describe("a reader of text from outside", () => {
  it.each(Object.entries(readers))("%s takes at most 2.5 times as long for twice the text", (_, read) => {
    const slow = PIECES.flatMap((piece) =>
      ENDS.filter((end) => !growsLikeItsText(read, piece, end)).map((end) => `${JSON.stringify(piece)}… ${end}`),
    )
    expect(slow).toEqual([])
  })

  it("is not measured by a test that cannot fail", () => {
    expect(growsLikeItsText((text) => /[. ]+$/.test(text), ".", "x")).toBe(false)
  })
})
