/** A copy of a small table in memory, kept up to date with what every desk and command stores. */
import { isDeepStrictEqual } from "node:util"
import { backgroundLog, inBackground } from "../../platform/background.ts"
import { loadOnce } from "../../platform/load-once.ts"
import { type Database, faultFields, StoreUnavailableError, type Topic } from "./database.ts"
import { SerialQueue } from "./serial-queue.ts"

/** How soon everything is read again after a read that failed. */
const RETRY_MS = 1_000

type StoreCopyOptions<Content> = {
  readonly database: Pick<Database, "publish" | "subscribe">
  /** The topic of the messages about changes. */
  readonly topic: Topic
  /** How often everything is read again, because a message can be lost, and the commands of an operator send none. */
  readonly refreshMs: number
  /** The content before the first read. */
  readonly empty: Content
  /** Reads everything. With a message that names a part, reads that part into a copy of `now`. */
  readonly read: (message: string | undefined, now: Content) => Promise<Content>
}

/** A failed read keeps the content, and everything is read again soon. The log has a line when failures begin and when they end. Reads never reject. */
export class StoreCopy<Content> {
  readonly #options: StoreCopyOptions<Content>
  #now: Content
  /** The reads, in their order, so that an older one never replaces a newer one. */
  readonly #reads = new SerialQueue()
  /** The reads that have not begun, by their message. */
  readonly #waiting = new Map<string | undefined, Promise<void>>()
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribe: () => void
  #timer: NodeJS.Timeout | undefined
  #isFailing = false
  #isStopped = false

  constructor(options: StoreCopyOptions<Content>) {
    this.#options = options
    this.#now = options.empty
    this.#unsubscribe = options.database.subscribe(options.topic, (message) =>
      inBackground(() => this.refresh(message || undefined)),
    )
  }

  /** The content when the store was last read. */
  get now(): Content {
    return this.#now
  }

  /** Reads everything once. From then on the timer reads again. */
  readonly load = loadOnce(() => this.refresh())

  /** Reads again: everything, or what a message names. Calls share a read that has not begun. */
  refresh(message?: string): Promise<void> {
    const read =
      this.#waiting.get(message) ??
      this.#reads.add(() => {
        this.#waiting.delete(message)
        return this.#read(message)
      })
    this.#waiting.set(message, read)
    return read
  }

  /** Call this after a change: notifies the other desks, and reads the change. `message` names what changed. Without one, everything is read. */
  changed(message?: string): Promise<void> {
    this.#options.database.publish(this.#options.topic, message ?? "").catch(() => undefined)
    return this.refresh(message)
  }

  /** Makes a change, and then calls `changed`. Even after a failure, because perhaps only the answer to the COMMIT was lost. */
  async change<Result>(make: () => Promise<Result>, message?: string): Promise<Result> {
    try {
      const result = await make()
      await this.changed(message)
      return result
    } catch (error) {
      if (error instanceof StoreUnavailableError) inBackground(() => this.changed(message))
      throw error
    }
  }

  /** Calls `changed` when `now` has changed. @returns a function that removes the listener */
  onChange(changed: () => void): () => void {
    this.#listeners.add(changed)
    return () => void this.#listeners.delete(changed)
  }

  readonly stop = (): void => {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#unsubscribe()
  }

  async #read(message: string | undefined): Promise<void> {
    const { read, refreshMs, topic } = this.#options
    let content: Content
    try {
      content = await read(message, this.#now)
    } catch (error) {
      // After `stop` the store may be closed during a read, which isn't a failure.
      if (this.#isStopped) return
      if (!this.#isFailing) backgroundLog.error(faultFields(error), `the desk's copy of "${topic}" could not be read`)
      this.#isFailing = true
      return this.#refreshIn(RETRY_MS)
    }
    if (message === undefined) {
      if (this.#isFailing) backgroundLog.info({}, `the desk's copy of "${topic}" is up to date again`)
      this.#isFailing = false
      this.#refreshIn(refreshMs)
    }
    if (isDeepStrictEqual(content, this.#now)) return
    this.#now = content
    for (const changed of this.#listeners) inBackground(changed)
  }

  #refreshIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (!this.#isStopped) this.#timer = setTimeout(() => inBackground(() => this.refresh()), milliseconds).unref()
  }
}
