/** `npm run sentences` lists every text in the source code that a person can read, the longest first in each folder. */
import { dirname, join } from "node:path"
import { plural } from "../contract/plural.ts"
import { runAsCommand } from "./command.ts"
import { findSentences } from "./find-sentences.ts"

const USAGE = `Usage:
  npm run sentences              lists every text that a person can read, by folder, longest first
  npm run sentences -- --json    prints the same as JSON Lines`

await runAsCommand({ usage: USAGE, options: { json: { type: "boolean" } } }, async ({ json }) => {
  const sentences = findSentences(join(import.meta.dirname, "../.."))
  if (json === true) {
    for (const sentence of sentences) console.log(JSON.stringify(sentence))
    return 0
  }
  const folders = Map.groupBy(sentences, ({ file }) => dirname(file))
  for (const [folder, texts] of folders) {
    console.log(`\n${folder}`)
    for (const { words, text, file, line } of texts.toSorted((one, other) => other.words - one.words))
      console.log(`${String(words).padStart(4)}  ${text}  (${file.slice(folder.length + 1)}:${String(line)})`)
  }
  console.log(
    `\n${plural(sentences.length, "text")}, ${plural(
      sentences.reduce((sum, { words }) => sum + words, 0),
      "word",
    )}`,
  )
  return 0
})
