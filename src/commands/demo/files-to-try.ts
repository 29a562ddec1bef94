import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** In two halves, or a virus scanner would take this source away. */
const EICAR = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")

const SMALL_TABLE = "town,people\nUtrecht,361\nLeiden,127\nDelft,106\n"

/** A file for each way in which an upload can go; demo.test.ts holds what the service makes of each. */
const FILES: Readonly<Record<string, string>> = {
  "eicar.txt": EICAR,
  "stale-signatures.csv": SMALL_TABLE,
  "slow-scan.csv": SMALL_TABLE,
  "blocked.txt": "This text says policy:block, so the service refuses it.\n",
  "one-byte-too-many.txt": "x".repeat(102_401),
  "largest.txt": "x".repeat(102_400),
}

/** Lays files to choose in New Work beside the demonstration's data: one for every state that an upload can end in. */
export function layOutFilesToTry(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content)
  for (const name of ["penguins.json", "seattle-weather.csv", "handbook.md"]) {
    copyFileSync(join(import.meta.dirname, "inputs", name), join(folder, name))
  }
}
