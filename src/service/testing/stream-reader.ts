/** Reads an event stream in a test. */
import type { IncomingMessage } from "node:http"
import { onTestFinished } from "vitest"
import { type Call, open } from "./client.ts"
import { ALICE, type TestService } from "./test-service.ts"

/** One open stream of a test: what it has read, and whether it has ended. */
export class StreamReader {
  text = ""
  ended = false
  readonly #response: IncomingMessage

  constructor(response: IncomingMessage) {
    this.#response = response
    response.setEncoding("utf8")
    response.on("data", (piece: string) => (this.text += piece))
    response.on("close", () => (this.ended = true))
    response.on("error", () => (this.ended = true))
  }

  get status(): number {
    return this.#response.statusCode ?? 0
  }

  get sequences(): number[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  }

  get heartbeats(): number {
    return this.text.split(": heartbeat\n\n").length - 1
  }

  close(): void {
    this.#response.destroy()
  }
}

/** Opens the event stream of a Work. It is closed when the test is over. */
export async function read(
  service: TestService,
  workId: string,
  query = "",
  options: Call = {},
): Promise<StreamReader> {
  const response = await open(service.url, "GET", `/api/v1/work/${workId}/events${query}`, { token: ALICE, ...options })
  const reader = new StreamReader(response)
  onTestFinished(() => reader.close())
  return reader
}

/** The sequences from `first` to `last`. */
export const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
