/** How many results done Works have. Only those that somebody asked for are read. */
import { isAddressable } from "../../platform/http/path-match.ts"

/** How many Works are kept. */
const WORKS_MAX = 20_000

/** A done Work in a version, as digits. */
export type WorkVersion = { readonly id: string; readonly version: string }

export class DoneWorkResults {
  readonly #counts = new Map<string, { readonly version: string; readonly count: number }>()
  /** The versions of the Works that are to be read, by id. */
  readonly #queue = new Map<string, string>()
  /** The versions of the Works that could not be read in this pass of the list, by id. */
  readonly #failed = new Map<string, string>()

  /** The next Work whose results are to be read. */
  next(): WorkVersion | undefined {
    const [next] = this.#queue
    return next && { id: next[0], version: next[1] }
  }

  /** How many results a Work has. Undefined until they were read, which begins with the first call, and once more in each pass that failed. */
  countOf({ id, version }: WorkVersion): number | undefined {
    const read = this.#counts.get(id)
    if (read?.version === version) return read.count
    if (isAddressable(id) && this.#failed.get(id) !== version) this.#queue.set(id, version)
    return undefined
  }

  store({ id, version }: WorkVersion, count: number): void {
    this.#queue.delete(id)
    this.#counts.set(id, { version, count })
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > WORKS_MAX && oldest !== undefined) this.#counts.delete(oldest)
  }

  /** Notes that a Work could not be read. `retryFailed` allows the next try. */
  noteFailed({ id, version }: WorkVersion): void {
    this.#queue.delete(id)
    this.#failed.set(id, version)
  }

  retryFailed(): void {
    this.#failed.clear()
  }

  remove(id: string): void {
    this.#queue.delete(id)
    this.#counts.delete(id)
  }
}
