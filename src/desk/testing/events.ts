/** What the tests of streams share: an upstream that publishes events, and viewers that keep the received text. */
import { request, type ClientRequest, type ServerResponse } from "node:http"
import { expect, onTestFinished } from "vitest"
import { answerJson, startUpstream, type Answering } from "./upstreams.ts"

export const EVENTS_PATH = "/api/v1/work/w/events"

type Event = { readonly sequence: bigint; readonly frame: string }

/** An upstream with one Work. It sends the published events after the requested position, and then every new event. */
export async function startEvents(firstSequence = 1n) {
  const events: Event[] = []
  const readers = new Set<ServerResponse>()
  const most = { open: 0 }
  const answer: Answering = (heard, response) => {
    if (!heard.url.includes("/events")) return answerJson(heard, response)
    response.writeHead(200, { "Content-Type": "text/event-stream" })
    response.flushHeaders()
    const asked = new URL(heard.url, "http://x").searchParams.get("after") ?? heard.headers["last-event-id"]
    const after = BigInt(asked?.toString() ?? 0)
    const missed = events.filter(({ sequence }) => sequence > after)
    if (missed.length > 0) response.write(missed.map(({ frame }) => frame).join(""))
    readers.add(response)
    most.open = Math.max(most.open, readers.size)
    response.on("close", () => readers.delete(response))
  }
  const upstream = await startUpstream(answer)
  const write = (text: string) => {
    for (const reader of readers) reader.write(text)
  }
  return {
    ...upstream,
    events,
    readers,
    most,
    write,
    publish(data = "{}") {
      const sequence = firstSequence + BigInt(events.length)
      const frame = `id: ${sequence}\nevent: something.happened\ndata: ${data}\n\n`
      events.push({ sequence, frame })
      write(frame)
    },
  }
}

/** A viewer that keeps everything that it receives. */
export class Reader {
  text = ""
  status: number | undefined
  headers: Readonly<Record<string, unknown>> = {}
  end: "clean" | "error" | undefined
  readonly #request: ClientRequest

  constructor(url: string, path: string, headers: Record<string, string> = {}) {
    const { hostname, port } = new URL(url)
    this.#request = request({ hostname, port, path, headers, agent: false }, (response) => {
      this.status = response.statusCode
      this.headers = response.headers
      response.on("data", (chunk: Buffer) => (this.text += chunk.toString("latin1")))
      response.on("end", () => (this.end ??= "clean"))
      response.on("error", () => (this.end ??= "error"))
    })
    this.#request.on("error", () => (this.end ??= "error"))
    this.#request.end()
    onTestFinished(() => this.leave())
  }

  leave() {
    this.#request.destroy()
  }

  get sequences(): string[] {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].map(([, id = ""]) => id)
  }
}

export const read = (url: string, query = "?after=0", headers = {}) => new Reader(url, EVENTS_PATH + query, headers)
export const opened = async (...readers: Reader[]) => {
  await expect.poll(() => readers.map(({ status }) => status)).toEqual(readers.map(() => 200))
}
export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index))
