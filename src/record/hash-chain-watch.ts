import { setTimeout as delay } from "node:timers/promises"
import type { RecordPage } from "../contract/desk-work.ts"
import { readHead, type RecordOptions, type Verification, verify } from "./hash-chain.ts"

const HEAD_INTERVAL_MS = 3_600_000

// The next verification is due a hundred times the duration of the last one after the last one began, within these bounds.
const DURATION_FACTOR = 100
const VERIFY_MIN_MS = 5_000
// Less than HEAD_INTERVAL_MS: a verification that the hourly timer begins must be due again when the timer fires next.
const VERIFY_MAX_MS = 1_800_000

// How long a page waits for a verification. Then the page shows the last result, or none before the first.
const WAIT_MS = 100

/** Verifies the chain from time to time, and tells the chain's head at the start and once an hour. */
export class HashChainWatch {
  readonly #options: RecordOptions
  readonly #timer: NodeJS.Timeout
  #last: Verification | undefined
  #verifying: Promise<void> | undefined
  #verifyAt = 0

  constructor(options: RecordOptions) {
    this.#options = options
    this.#timer = setInterval(() => {
      void this.#tellHead()
      void this.verifiedState()
    }, HEAD_INTERVAL_MS).unref()
    void this.#tellHead()
  }

  /** Verifies the chain if that is due, waits a moment, and gives the last result. Undefined before the first one. */
  async verifiedState(): Promise<RecordPage["chain"]> {
    if (this.#verifying === undefined && performance.now() >= this.#verifyAt) this.#verifying = this.#verify()
    await Promise.race([this.#verifying, delay(WAIT_MS, undefined, { ref: false })])
    if (this.#last === undefined) return undefined
    const { faults, rows, head } = this.#last
    return { complete: faults.length === 0, rows, head: head.hash }
  }

  stop(): void {
    clearInterval(this.#timer)
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
    this.#verifyAt = began + Math.min(Math.max(VERIFY_MIN_MS, took * DURATION_FACTOR), VERIFY_MAX_MS)
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
