/** Shares the event loop among the callers of SQLite, whose calls block it: a loop of reads never keeps other requests waiting. */
import { AsyncLocalStorage } from "node:async_hooks"

/** After this time the event loop turns before the next call. The last call and what its caller does with the rows come on top. */
const PORTION_MS = 3

/** A caller that has used more time is no further behind the others. */
const BEHIND_MAX_MS = 1_000

type Caller = { usedMs: number; personId?: string }

const callers = new AsyncLocalStorage<Caller>()

/** Runs `work`, such as one request, as a caller of its own. Callers that have used little time go first. */
export function asCaller<Result>(work: () => Result): Result {
  return callers.run({ usedMs: 0 }, work)
}

/** Names the person whose request this is. All requests of a person are one caller for `FairQueue`. */
export function nameCaller(personId: string): void {
  const caller = callers.getStore()
  if (caller !== undefined) caller.personId = personId
}

/** The caller for `FairQueue`: a person's id, or an empty text for the desk itself and for all requests without a session. */
export const callerKey = (): string => callers.getStore()?.personId ?? ""

/** A call that waits until the event loop has turned. The call with the smallest `rank` goes first. */
type Waiting = { readonly rank: number; readonly start: () => void }

export class EventLoopShare {
  /** When the first call since the last turn of the event loop began. */
  #beganTicks: number | undefined
  readonly #waiting: Waiting[] = []

  /** Runs `call` now, or after the event loop has turned. */
  run<Result>(call: () => Result): Promise<Result> {
    return this.#enter(call, callers.getStore() ?? { usedMs: 0 })
  }

  /** Runs `call` before all other calls: the calls of a transaction, for which all other changes wait. */
  runFirst<Result>(call: () => Result): Promise<Result> {
    return this.#enter(call, undefined)
  }

  #enter<Result>(call: () => Result, caller: Caller | undefined): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const start = () => {
      const startTicks = performance.now()
      if (this.#beganTicks === undefined) {
        this.#beganTicks = startTicks
        setImmediate(() => this.#onTurn())
      }
      try {
        resolve(call())
      } catch (error) {
        reject(error)
      }
      if (caller !== undefined) caller.usedMs += performance.now() - startTicks
    }
    if (this.#isOver()) this.#wait({ rank: rankOf(caller), start })
    else start()
    return promise
  }

  #isOver(): boolean {
    return this.#beganTicks !== undefined && performance.now() - this.#beganTicks > PORTION_MS
  }

  #wait(waiting: Waiting): void {
    const after = this.#waiting.findLastIndex(({ rank }) => rank <= waiting.rank)
    this.#waiting.splice(after + 1, 0, waiting)
  }

  /** Starts one call, which goes on with others until the portion is over. */
  #onTurn(): void {
    this.#beganTicks = undefined
    this.#waiting.shift()?.start()
  }
}

/** The time since which the call waits, later for a caller that has used much. So every call comes to its turn. */
function rankOf(caller: Caller | undefined): number {
  return caller === undefined ? -Infinity : performance.now() + Math.min(caller.usedMs, BEHIND_MAX_MS)
}
