import type { Exchange } from "./exchange.ts"

/** Takes one line, or several with line ends between them. */
export type Log = (lines: string) => void

// nginx logs this status for a client that left before it was answered.
const CLIENT_LEFT = 499

// Many lines leave in one write, because a write costs as much as a request.
const GATHER_MS = 50

/** Writes one JSON line for each request. No path, query, body or header is in it, and so no secret. */
export class RequestLog {
  readonly #log: Log
  #lines: string[] = []
  #second = 0
  #secondText = ""

  constructor(log: Log) {
    this.#log = log
  }

  /** `began` is performance.now() at the request's arrival. Method and route are from lists: nothing needs escaping. */
  add({ request, response, route, requestId }: Exchange, began: number): void {
    const status = response.headersSent ? response.statusCode : CLIENT_LEFT
    const ms = Math.round((performance.now() - began) * 10) / 10
    this.#lines.push(
      `{"time":"${this.#time()}","method":"${request.method}","route":"${route}","status":${status},"ms":${ms},"request_id":"${requestId}"}`,
    )
    if (this.#lines.length === 1) setTimeout(() => this.flush(), GATHER_MS)
  }

  /** Now, as toISOString writes it. Most of the text is the last request's. */
  #time(): string {
    const now = Date.now()
    const ms = now % 1_000
    if (now - ms !== this.#second) {
      this.#second = now - ms
      this.#secondText = new Date(now).toISOString().slice(0, -"000Z".length)
    }
    return `${this.#secondText}${String(ms).padStart(3, "0")}Z`
  }

  /** Writes the lines that have been gathered. */
  flush(): void {
    if (this.#lines.length === 0) return
    this.#log(this.#lines.join("\n"))
    this.#lines = []
  }
}
