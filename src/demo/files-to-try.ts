import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EICAR } from "../service/demonstration.ts"

const SMALL_TABLE = "town,people\nUtrecht,361\nLeiden,127\nDelft,106\n"

/** A file for each state that an upload can end in. demo.test.ts has the state of each. */
const FILES: Readonly<Record<string, string>> = {
  "eicar.txt": EICAR,
  "stale-signatures.csv": SMALL_TABLE,
  "slow-scan.csv": SMALL_TABLE,
  "blocked.txt": "This text contains policy:block, so the service refuses it.\n",
  "one-byte-too-many.txt": "x".repeat(102_401),
  "largest.txt": "x".repeat(102_400),
}

/** Writes the files that a presenter can upload in New Work into `folder`. Makes the folder if it does not exist. */
export function layOutFilesToTry(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content)
  for (const name of ["penguins.json", "seattle-weather.csv", "handbook.md"]) {
    copyFileSync(join(import.meta.dirname, "inputs", name), join(folder, name))
  }
}
