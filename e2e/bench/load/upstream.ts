/** The upstream of the programs that a benchmark measures: as fast as a Node program can be. */
import { createServer, type ServerResponse } from "node:http"
import type { Server } from "node:net"

export const TOKEN = "bench-token-of-some-length"

const DATA = JSON.stringify(Array.from({ length: 8 }, (_, index) => ({ id: `work-${index}`, text: "x".repeat(230) })))
const DOWNLOAD_BYTES = 1_073_741_824

/**
 * Answers 2 kB of JSON, streams, and a gigabyte. `/publish` writes one event to every open stream and answers how many streams are open. The
 * event says when it was published, by the machine's clock.
 */
export function upstreamServer(): Server {
  const streams = new Set<ServerResponse>()
  let sequence = 0
  return createServer((request, response) => {
    const url = request.url ?? ""
    if (url === "/publish") {
      const frame = eventFrame(++sequence)
      for (const stream of streams) stream.write(frame)
      response.end(String(streams.size))
    } else if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401).end()
    } else if (url.includes("/events")) {
      response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders()
      streams.add(response)
      response.on("close", () => streams.delete(response))
    } else if (url.includes("/content")) {
      sendGigabyte(response)
    } else {
      // The desk passes on a Work only with the id of its address.
      const body = `{"id":"${url.split("/").at(4) ?? ""}","data":${DATA}}`
      const headers = { "Content-Type": "application/json", "Content-Length": body.length }
      response.writeHead(request.method === "POST" ? 201 : 200, headers).end(body)
    }
  })
}

function eventFrame(sequence: number): string {
  const data = `{"at":"${process.hrtime.bigint()}","text":"${"x".repeat(120)}"}`
  return `id: ${sequence}\nevent: step.reported\ndata: ${data}\n\n`
}

function sendGigabyte(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/octet-stream", "Content-Length": DOWNLOAD_BYTES })
  const piece = Buffer.alloc(65_536, "download")
  let left = DOWNLOAD_BYTES / piece.length
  const writeOn = () => {
    while (left > 0) {
      left--
      if (!response.write(piece)) return response.once("drain", writeOn)
    }
    return response.end()
  }
  writeOn()
}
