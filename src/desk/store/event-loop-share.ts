/** Shares the event loop among requests and calls of SQLite, which block it, so that neither many requests nor a loop of reads delay others for long. */
import { AsyncLocalStorage } from "node:async_hooks"

/** After this time the event loop turns before the next call. The last call and what its caller does with the rows are added to it. */
const PORTION_MS = 3

/** At most so many requests wait, because each takes memory. For one more, the next in turn starts at once. */
export const WAITING_MAX = 1_000

/** A request that has used more time than this isn't moved further behind the others of its person. */
const BEHIND_MAX_MS = 1_000

type Caller = { usedMs: number; personId?: string }

const callers = new AsyncLocalStorage<Caller>()

/** Runs `work`, such as one request, as a separate caller. Of a person's requests, those that have used little time go first. */
export function asCaller<Result>(work: () => Result): Result {
  return callers.run({ usedMs: 0 }, work)
}

/** Names the person whose request this is, or the client while its person is unknown. They take turns, however many requests each has sent. */
export function nameCaller(personId: string): void {
  const caller = callers.getStore()
  if (caller !== undefined) caller.personId = personId
}

/** The key of fair scheduling: a person's id, a client's address, or an empty text for the desk itself and for requests that need no session. */
export const callerKey = (): string => callers.getStore()?.personId ?? ""

/** A call that waits until the event loop has turned. Of a person's calls, the one with the smallest `rank` goes first. */
type Waiting = { readonly rank: number; readonly start: () => void }

export class EventLoopShare {
  /** When the first call since the last turn of the event loop began. */
  #beganAt: number | undefined
  /** The waiting calls of each person. The person whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>()
  #waitingCount = 0
  /** The waiting calls of transactions. They go first, because all other changes wait for them. */
  readonly #first: (() => void)[] = []
  readonly #portionMs: number

  constructor(portionMs = PORTION_MS) {
    this.#portionMs = portionMs
  }

  /** Runs `call` now, or after the event loop has turned. */
  run<Result>(call: () => Result): Promise<Result> {
    return this.#promise(call, callers.getStore() ?? { usedMs: 0 })
  }

  /** Runs `call` before the calls of `run`. */
  runFirst<Result>(call: () => Result): Promise<Result> {
    return this.#promise(call, undefined)
  }

  /** Starts a request as a separate caller, now or after the event loop has turned. Waiting requests take turns by their `sender`. */
  begin(start: () => void, sender: () => string): void {
    this.#enter(() => asCaller(start), { usedMs: 0 }, sender)
    if (this.#waitingCount > WAITING_MAX) this.#next()?.()
  }

  #promise<Result>(call: () => Result, caller: Caller | undefined): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const settle = () => {
      try {
        resolve(call())
      } catch (error) {
        reject(error)
      }
    }
    this.#enter(settle, caller)
    return promise
  }

  #enter(call: () => void, caller: Caller | undefined, keyOf = () => caller?.personId ?? ""): void {
    const start = () => {
      const startedAt = performance.now()
      if (this.#beganAt === undefined) {
        this.#beganAt = startedAt
        setImmediate(() => this.#onTurn())
      }
      call()
      if (caller !== undefined) caller.usedMs += performance.now() - startedAt
    }
    if (!this.#isOver()) start()
    else if (caller === undefined) this.#first.push(start)
    else this.#wait(keyOf(), { rank: rankOf(caller), start })
  }

  #isOver(): boolean {
    return this.#beganAt !== undefined && performance.now() - this.#beganAt > this.#portionMs
  }

  #wait(personId: string, waiting: Waiting): void {
    const calls = this.#waiting.get(personId) ?? []
    const after = calls.findLastIndex(({ rank }) => rank <= waiting.rank)
    calls.splice(after + 1, 0, waiting)
    this.#waiting.set(personId, calls)
    this.#waitingCount++
  }

  #onTurn(): void {
    this.#beganAt = undefined
    this.#startWaiting()
  }

  /** Starts one call after the other until the portion is over. What a caller does with its rows counts, because it happens before the next call. */
  #startWaiting(): void {
    const start = this.#isOver() ? undefined : this.#next()
    if (start === undefined) return
    start()
    queueMicrotask(() => process.nextTick(() => this.#startWaiting()))
  }

  /** Removes and returns the next call. Its person moves to the end of the order. */
  #next(): (() => void) | undefined {
    const first = this.#first.shift()
    if (first !== undefined) return first
    const [next] = this.#waiting
    if (next === undefined) return undefined
    const [personId, [call, ...later]] = next
    this.#waitingCount--
    this.#waiting.delete(personId)
    if (later.length > 0) this.#waiting.set(personId, later)
    return call?.start
  }
}

/** The time at which the call began to wait, later for a caller that has used much time. So every call gets its turn. */
function rankOf({ usedMs }: Caller): number {
  return performance.now() + Math.min(usedMs, BEHIND_MAX_MS)
}
