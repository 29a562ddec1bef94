/** What each person was sent last, so that a request with `since` gets only what has changed. */
import type { MonotonicTime } from "./request-pace.ts"
import type { Snapshot } from "./snapshot.ts"

/** How many answers of a person are kept, and for how long. An answer that is sent or asked for again counts from then. */
const KEPT_MAX = 8
const KEPT_MS = 60_000

type SentAnswer = { readonly snapshot: Snapshot; readonly sentAt: MonotonicTime }

export class SentAnswers {
  /** By the person's id. Both the people and the answers to each person are in order of time, the newest last. */
  readonly #people = new Map<string, readonly SentAnswer[]>()

  /** Notes that a person was sent a snapshot. */
  add(person: string, snapshot: Snapshot, now: MonotonicTime): void {
    const others = this.#people.get(person)?.filter((sent) => sent.snapshot.etag !== snapshot.etag) ?? []
    this.#people.delete(person)
    this.#people.set(person, [...others, { snapshot, sentAt: now }].slice(-KEPT_MAX))
    for (const [other, sent] of this.#people) {
      if (sent.some(({ sentAt }) => now - sentAt <= KEPT_MS)) break
      this.#people.delete(other)
    }
  }

  /** What the person was sent under an ETag. Undefined when this desk does not know. Another person's ETags are not known. */
  find(person: string, etag: string, now: MonotonicTime): Snapshot | undefined {
    const sent = this.#people.get(person)
    return sent?.find(({ snapshot, sentAt }) => now - sentAt <= KEPT_MS && snapshot.etag === etag)?.snapshot
  }
}
