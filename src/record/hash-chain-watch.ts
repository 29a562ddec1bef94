import { setTimeout as delay } from "node:timers/promises"
import type { RecordPage } from "../contract/desk-work.ts"
import { readHead, type RecordOptions, type Verification, verify } from "./hash-chain.ts"

const INTERVAL_MS = 3_600_000

// The next verification is due a hundred times the duration of the last one after the last one began, within these bounds.
const DURATION_FACTOR = 100
const VERIFY_MIN_MS = 5_000
// Less than INTERVAL_MS: a verification that the hourly timer begins must be due again when the timer fires next.
const VERIFY_MAX_MS = 1_800_000

// How long a page waits for a verification. Then the page shows the last result, or none before the first.
const WAIT_MS = 100

/**
 * Verifies the whole chain once an hour, for the first time an hour after the start. Also verifies the chain when somebody opens the record and
 * the last verification is old. Each result goes to `onChecked` (a metric, and a line of the log at the first fault) and to the record's page.
 * Tells `onHead` the chain's head at the start and once an hour.
 */
export class HashChainWatch {
  readonly #options: RecordOptions
  readonly #timer: NodeJS.Timeout
  #last: Verification | undefined
  #verifying: Promise<void> | undefined
  /** When the next verification is due, by performance.now(). */
  #dueAt = 0

  constructor(options: RecordOptions) {
    this.#options = options
    this.#timer = setInterval(() => {
      void this.#tellHead()
      void this.#verifyIfDue()
    }, INTERVAL_MS).unref()
    void this.#tellHead()
  }

  /** For the record's page: verifies the chain if that is due, waits a moment, and gives the last result. Undefined before the first one. */
  async verifiedState(): Promise<RecordPage["chain"]> {
    await Promise.race([this.#verifyIfDue(), delay(WAIT_MS, undefined, { ref: false })])
    if (this.#last === undefined) return undefined
    const { faults, rows, head } = this.#last
    return { complete: faults.length === 0, rows, head: head.hash }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Gives the verification that runs now. Undefined: none runs, and none is due. */
  #verifyIfDue(): Promise<void> | undefined {
    if (this.#verifying === undefined && performance.now() >= this.#dueAt) this.#verifying = this.#verify()
    return this.#verifying
  }

  async #verify(): Promise<void> {
    const began = performance.now()
    try {
      this.#last = await verify(this.#options.database)
      this.#options.onChecked?.(this.#last)
    } catch (error) {
      this.#options.onFailed(error)
    }
    const took = performance.now() - began
    this.#dueAt = began + Math.min(Math.max(VERIFY_MIN_MS, took * DURATION_FACTOR), VERIFY_MAX_MS)
    this.#verifying = undefined
  }

  async #tellHead(): Promise<void> {
    try {
      this.#options.onHead(await readHead(this.#options.database))
    } catch (error) {
      this.#options.onFailed(error)
    }
  }
}
