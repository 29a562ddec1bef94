/**
 * Verifies the whole chain once an hour, and when somebody opens the record and the last verification is a minute old. Each result goes to
 * `onChecked` (a metric, and a line of the log at the first fault) and to the record's page. Calls `onHead` with the chain's head at the start and
 * once an hour.
 */
import { setTimeout as delay } from "node:timers/promises"
import type { RecordPage } from "../../contract/desk-work.ts"
import { readHead, type RecordOptions, type Verification } from "./hash-chain.ts"
import { verify } from "./chain-verification.ts"
import { inBackground } from "../../platform/background.ts"

const INTERVAL_MS = 3_600_000

/** A person who opens the record gets the last verification if it is no older than this. A million rows take about ten seconds. */
const FRESH_MS = 60_000

/** How long a page waits for a verification. Then the page shows the last result, or none before the first. */
const WAIT_MS = 100

export class HashChainWatch {
  readonly #options: RecordOptions
  readonly #timer: NodeJS.Timeout
  #last: Verification | undefined
  #verifying: Promise<void> | undefined
  #begunAt = Number.NEGATIVE_INFINITY

  constructor(options: RecordOptions) {
    this.#options = options
    this.#timer = setInterval(() => {
      inBackground(() => this.#logHead())
      inBackground(() => this.#verifyUnlessFresh())
    }, INTERVAL_MS).unref()
    inBackground(() => this.#logHead())
  }

  /** The last result, for the record's page. Undefined before the first one. */
  async verifiedState(): Promise<RecordPage["chain"]> {
    await Promise.race([this.#verifyUnlessFresh(), delay(WAIT_MS, undefined, { ref: false })])
    if (this.#last === undefined) return undefined
    const { faults, rows, head } = this.#last
    return { complete: faults.length === 0, rows, head: head.hash }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #verifyUnlessFresh(): Promise<void> | undefined {
    if (this.#verifying === undefined && performance.now() - this.#begunAt >= FRESH_MS) {
      this.#begunAt = performance.now()
      this.#verifying = this.#verify().finally(() => (this.#verifying = undefined))
    }
    return this.#verifying
  }

  async #verify(): Promise<void> {
    try {
      this.#last = await verify(this.#options.database)
      this.#options.onChecked?.(this.#last)
    } catch (error) {
      this.#options.onFailed(error)
    }
  }

  async #logHead(): Promise<void> {
    try {
      this.#options.onHead(await readHead(this.#options.database))
    } catch (error) {
      this.#options.onFailed(error)
    }
  }
}
