import type { RecordPage } from "../../contract/desk.ts"
import type { Database } from "../store/database.ts"
import { readHead, type Verification, verify } from "./chain.ts"
import type { Head } from "./rows.ts"

const ANCHOR_MS = 3_600_000

// The whole chain is followed again at most this often, and at most for a hundredth of the time.
const FRESH_MS = 5_000
const SHARE = 100

// A page waits no longer than this for the chain to be followed: then it says what was found before, or nothing.
const WAIT_MS = 30
const FIRST_WAIT_MS = 100

/** Follows the chain now and then, and tells its head once an hour. */
export class ChainWatch {
  readonly #database: Database
  readonly #anchor: (head: Head) => void
  readonly #failed: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #found: Verification | undefined
  #walk: Promise<void> | undefined
  #nextWalk = 0

  constructor(database: Database, anchor: (head: Head) => void, failed: (error: unknown) => void) {
    this.#database = database
    this.#anchor = anchor
    this.#failed = failed
    this.#timer = setInterval(() => void this.#tell(), ANCHOR_MS).unref()
    void this.#tell()
  }

  /** Undefined where the chain was never followed to its end so far. */
  async state(): Promise<RecordPage["chain"]> {
    if (this.#walk === undefined && performance.now() >= this.#nextWalk) this.#walk = this.#follow()
    if (this.#walk !== undefined)
      await Promise.race([this.#walk, pause(this.#found === undefined ? FIRST_WAIT_MS : WAIT_MS)])
    if (this.#found === undefined) return undefined
    const { faults, rows, head } = this.#found
    return { complete: faults.length === 0, rows, head: head.hash }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #follow(): Promise<void> {
    const began = performance.now()
    try {
      this.#found = await verify(this.#database)
    } catch (error) {
      this.#failed(error)
    }
    const took = performance.now() - began
    this.#nextWalk = began + Math.max(FRESH_MS, took * SHARE)
    this.#walk = undefined
  }

  async #tell(): Promise<void> {
    try {
      this.#anchor(await readHead(this.#database))
    } catch (error) {
      this.#failed(error)
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref())
}
