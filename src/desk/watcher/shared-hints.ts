/** Tells the watchers of all desks of the store what one desk learns: an event of a Work, a mutation, a decision. */
import * as v from "valibot"
import type { Database } from "../store/database.ts"
import type { Decided, Watcher } from "./watcher.ts"

export type Hints = Pick<Watcher, "hint" | "hintList" | "decided">

/** Hints are collected for this time and sent in one message, because a Work may have twenty events a second. */
const TOGETHER_MS = 500
/** PostgreSQL accepts less than 8,000 bytes, the names of the sender and the topic included. */
const MESSAGE_MAX_BYTES = 7_000
/** A longer id would not fit a message. The other desks' watchers find that Work by their own reads. */
const ID_MAX_CHARACTERS = 100

const message = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    works: v.array(v.string()),
    list: v.boolean(),
    decided: v.optional(
      v.object({ kind: v.picklist(["clarification", "approval"]), workId: v.string(), itemId: v.string() }),
    ),
  }),
)

/** Passes hints to this desk's watcher at once, and to the watchers of the other desks within half a second. */
export class SharedHints implements Hints {
  readonly #database: Database
  readonly #watcher: Hints
  readonly #works = new Set<string>()
  #list = false
  #timer: NodeJS.Timeout | undefined
  readonly #unsubscribe: () => void

  constructor(database: Database, watcher: Hints) {
    this.#database = database
    this.#watcher = watcher
    this.#unsubscribe = database.subscribe("watcher", (text) => this.#onMessage(text))
  }

  hint(workId: string): void {
    this.#watcher.hint(workId)
    if (workId.length <= ID_MAX_CHARACTERS) this.#works.add(workId)
    this.#notifyLater()
  }

  hintList(): void {
    this.#watcher.hintList()
    this.#list = true
    this.#notifyLater()
  }

  decided(item: Decided, answer?: string): void {
    this.#watcher.decided(item, answer)
    if (item.workId.length + item.itemId.length <= 2 * ID_MAX_CHARACTERS) this.#publish([], false, item)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  #notifyLater(): void {
    this.#timer ??= setTimeout(() => this.#notifyNow(), TOGETHER_MS).unref()
  }

  #notifyNow(): void {
    this.#timer = undefined
    const works = [...this.#works]
    this.#works.clear()
    // One message is sent even without Works, because the list has changed.
    const list = this.#list
    this.#list = false
    for (const ids of inMessages(works)) this.#publish(ids, list)
  }

  #publish(works: readonly string[], list: boolean, decided?: Decided): void {
    // After a failure, the next message asks the other desks to read the list, which has each Work with its version.
    this.#database.publish("watcher", JSON.stringify({ works, list, decided })).catch(() => (this.#list = true))
  }

  #onMessage(text: string | undefined): void {
    // Undefined: messages may have been missed. The list names each Work that has a new version.
    if (text === undefined) return this.#watcher.hintList()
    const read = v.safeParse(message, text)
    if (!read.success) return
    const { works, list, decided } = read.output
    if (decided !== undefined) this.#watcher.decided(decided)
    for (const workId of works) this.#watcher.hint(workId)
    if (list) this.#watcher.hintList()
  }
}

/** Splits the ids into messages of at most MESSAGE_MAX_BYTES. There is one message even without ids. */
function inMessages(works: readonly string[]): readonly (readonly string[])[] {
  const messages: string[][] = []
  let message: string[] = []
  let bytes = 0
  for (const work of works) {
    // The message is JSON, and the store writes it as a string of JSON.
    const size = Buffer.byteLength(JSON.stringify(JSON.stringify(work))) + 1
    if (bytes + size > MESSAGE_MAX_BYTES) {
      messages.push(message)
      message = []
      bytes = 0
    }
    message.push(work)
    bytes += size
  }
  return [...messages, message]
}
