/** The done Works whose approvals are to be read once more, in their last state. */
import type { WorkVersion } from "./done-work-results.ts"

export class DoneApprovalQueue {
  /** The versions of the Works, by id. */
  readonly #versions = new Map<string, string>()
  /** The Works that have just ended. They are read first, because people are notified of the last decision. */
  readonly #ended = new Set<string>()
  /** The Works that could not be read. The next pass of the list adds them again. */
  readonly #failed = new Set<string>()

  /** Whether every Work that was added has been read. */
  get isAllRead(): boolean {
    return this.#versions.size === 0 && this.#failed.size === 0
  }

  next(): WorkVersion | undefined {
    const [id] = this.#ended.size > 0 ? this.#ended : this.#versions.keys()
    const version = id === undefined ? undefined : this.#versions.get(id)
    return id === undefined || version === undefined ? undefined : { id, version }
  }

  add({ id, version }: WorkVersion): void {
    this.#versions.set(id, version)
  }

  /** Has a Work of the queue read before the others. */
  prefer(id: string): void {
    if (this.#versions.has(id)) this.#ended.add(id)
  }

  /** Forgets that a read of a Work has failed, because the Work need not be read again. */
  forgetFailure(id: string): void {
    this.#failed.delete(id)
  }

  /** Notes that a Work was read, or that the service refuses to show its approvals. */
  noteRead(id: string): void {
    this.#remove(id)
    this.#failed.delete(id)
  }

  noteFailed(id: string): void {
    this.#remove(id)
    this.#failed.add(id)
  }

  #remove(id: string): void {
    this.#versions.delete(id)
    this.#ended.delete(id)
  }
}
