import { expect, test } from "vitest"
import { readSentences } from "./find-sentences.ts"

const textsOf = (code: string) => readSentences("page.tsx", code).map(({ text }) => text)

test("texts of JSX, attributes that are shown, templates and added strings are sentences, code is not", () => {
  expect(textsOf('const page = <p className="a b" title="More">Sent {count} of <b>5</b> files.</p>')).toEqual([
    "Sent … of 5 files.",
    "More",
  ])
  expect(textsOf('fail(`The file "${name}" is too long.`, "Remove it. " + "Try again.")')).toEqual([
    'The file "…" is too long.',
    "Remove it. Try again.",
  ])
  expect(textsOf('import a from "A b"; read("SELECT id FROM work", "a-b", "two words")')).toEqual([])
})
