/** The folder with a file for each letter that was sent. A file is written after the commit that sends the letter, or at the next start. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Log } from "../../platform/log.ts"
import type { Letter } from "../colleagues/colleague.ts"
import { retry } from "../retry.ts"
import { writeDurably } from "../store/durable-file.ts"
import { type Row, text } from "../store/sqlite-row.ts"
import type { Store } from "../store/store.ts"

/** The name of a letter's file. Other files in the folder are a person's. */
const LETTER = /^action_[0-9a-f]{24}\.txt$/

export class LetterOutbox {
  readonly #store: Store
  readonly #folder: string | undefined
  readonly #log: Log
  readonly #ending = new AbortController()
  #writing: Promise<void> = Promise.resolve()

  /** Without a folder (`:memory:`) no files are written. */
  constructor(store: Store, folder: string | undefined, log: Log) {
    this.#store = store
    this.#folder = folder
    this.#log = log
  }

  /** Writes the missing files of all letters that were sent. A write that fails is tried again until it succeeds or the service stops. */
  writeSent(): void {
    const onFailure = (error: unknown) =>
      this.#log.error({}, `a letter could not be written into the outbox: ${String(error)}`)
    this.#writing = this.#writing.then(() => retry(() => this.#write(), this.#ending.signal, onFailure))
  }

  /** Removes the files of letters whose Work housekeeping has removed. A file that cannot be removed is logged and stays. */
  removeLettersOfRemovedWork(): void {
    if (this.#folder === undefined) return
    const sent = new Set(this.#store.all("SELECT action_id FROM approval WHERE sent_at IS NOT NULL").map(letterOf))
    for (const name of readdirSync(this.#folder)) {
      if (sent.has(name) || !LETTER.test(name)) continue
      try {
        rmSync(join(this.#folder, name), { force: true })
      } catch (error) {
        this.#log.error({}, `The letter ${name} of a removed Work could not be removed: ${String(error)}`)
      }
    }
  }

  /** Waits for the letters that are being written. */
  async close(): Promise<void> {
    this.#ending.abort()
    await this.#writing
  }

  async #write(): Promise<void> {
    const rows = this.#store.all(
      "SELECT id, action_id, destination, subject, body FROM approval WHERE sent_at IS NOT NULL AND written_at IS NULL",
    )
    for (const row of rows) {
      const [destination, subject, body] = [text(row, "destination"), text(row, "subject"), text(row, "body")]
      // A crash before the next commit makes the next start write the same file again.
      if (this.#folder !== undefined) writeLetter(join(this.#folder, letterOf(row)), { destination, subject, body })
      await this.#store.effect(() => this.#store.update("approval", text(row, "id"), { written_at: Date.now() }))
    }
  }
}

/** The name of the file of a letter. */
function letterOf(approval: Row): string {
  return `${text(approval, "action_id")}.txt`
}

function writeLetter(path: string, { destination, subject, body }: Letter): void {
  writeDurably(path, `To: ${oneLine(destination)}\nSubject: ${oneLine(subject)}\n\n${body}\n`)
}

/** A line break in a header would begin another header. */
const oneLine = (value: string) => value.replaceAll(/[\r\n]+/g, " ")
