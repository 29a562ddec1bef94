import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Letter } from "../../colleagues/colleague.ts"

/** Where approved letters go: a folder, a file a letter. Without a folder (`:memory:`) nothing is written. */
export class Outbox {
  readonly #folder: string | undefined

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /**
   * Writes the letter of an action, durably. The name is the action's, so that a second writing, after a crash between
   * this and its record, is the same file with the same text.
   */
  put(actionId: string, { destination, subject, body }: Letter): void {
    if (this.#folder === undefined) return
    const path = join(this.#folder, `${actionId}.txt`)
    const draft = `${path}.new`
    const file = openSync(draft, "w", 0o600)
    try {
      writeFileSync(file, `To: ${oneLine(destination)}\nSubject: ${oneLine(subject)}\n\n${body}\n`)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
    syncFolder(this.#folder)
  }
}

/** A line break in a header would make a header of its own. */
function oneLine(value: string): string {
  return value.replaceAll(/[\r\n]+/g, " ")
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
