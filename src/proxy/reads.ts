import type { Refusal } from "../contract/refusal.ts"
import { ask, type Listener, type Question } from "./upstream-request.ts"
import type { Upstream } from "./upstream.ts"
import type { Answer } from "./exchange.ts"

type Read = { readonly readers: Set<(answer: Answer | Refusal) => void>; letGo: () => void }

const nothing = () => undefined

const notForReads = () => {
  throw new Error("a JSON operation does not flow")
}

/** Identical GETs in flight are one question to the upstream. Nothing is kept once it is answered. */
export class SharedReads {
  readonly #upstream: Upstream
  readonly #inFlight = new Map<string, Read>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /**
   * Nobody joins the reads now in flight any more; those who wait for one still get it. Called when a mutation was answered or an event
   * relayed: who reads after that has to see its effect.
   */
  expire(): void {
    this.#inFlight.clear()
  }

  /** Asks, or joins who asked the same; gives a function that leaves. The last one's leaving ends the question. */
  read(question: Question, reader: (answer: Answer | Refusal) => void): () => void {
    // Neither a target nor a header can hold a line end.
    const key = `${question.target}\n${question.headers.join("\n")}`
    const read = this.#inFlight.get(key) ?? this.#begin(key, question)
    read.readers.add(reader)
    return () => {
      if (!read.readers.delete(reader) || read.readers.size > 0) return
      this.#forget(key, read)
      read.letGo()
    }
  }

  #begin(key: string, question: Question): Read {
    const read: Read = { readers: new Set(), letGo: nothing }
    this.#inFlight.set(key, read)
    read.letGo = ask(this.#upstream, question, this.#listener(key, read))
    return read
  }

  #listener(key: string, read: Read): Listener {
    return {
      answered: (answer) => {
        this.#forget(key, read)
        for (const reader of read.readers) reader(answer)
        // Lets go of everything: tables that the map has outgrown may hold the read for longer.
        read.readers.clear()
        read.letGo = nothing
      },
      opened: notForReads,
      data: notForReads,
      ended: notForReads,
      cut: notForReads,
    }
  }

  #forget(key: string, read: Read): void {
    if (this.#inFlight.get(key) === read) this.#inFlight.delete(key)
  }
}
