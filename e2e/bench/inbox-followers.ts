/**
 * A worker thread in which people follow `GET /desk/waiting`, as the tabs of their browsers do. `workerData` has the address, the number of people,
 * and the way: `since` gets changes, `whole` gets everything at each change. Any message is answered with the bytes and answers since the last one.
 */
import { Agent, get, type IncomingMessage } from "node:http"
import { parentPort, workerData } from "node:worker_threads"
import * as v from "valibot"

export const followers = v.object({ url: v.string(), people: v.number(), way: v.picklist(["since", "whole"]) })

const { url, people, way } = v.parse(followers, workerData)
const agent = new Agent({ keepAlive: true })
const ended = new AbortController()
let received = { bytes: 0, answers: 0 }

async function ask(person: number, etag: string | undefined): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const bySince = way === "since" && etag !== undefined
  const query = etag === undefined ? "" : `?wait=25${bySince ? `&since=${encodeURIComponent(etag)}` : ""}`
  const headers = {
    "accept-encoding": "gzip",
    person: String(person),
    ...(way === "whole" && etag !== undefined && { "if-none-match": etag }),
  }
  get(`${url}/desk/waiting${query}`, { agent, headers, signal: ended.signal }, resolve).on("error", reject)
  const response = await promise
  let bytes = 0
  for await (const chunk of response) bytes += Buffer.from(chunk).length
  received = { bytes: received.bytes + bytes, answers: received.answers + 1 }
  return response.headers.etag ?? ""
}

async function follow(person: number): Promise<void> {
  let etag = await ask(person, undefined)
  parentPort?.postMessage("follows")
  while (!ended.signal.aborted) etag = await ask(person, etag)
}

for (let person = 0; person < people; person++) follow(person).catch(() => undefined)
parentPort?.on("message", (message) => {
  parentPort?.postMessage(received)
  received = { bytes: 0, answers: 0 }
  if (message !== "end") return
  ended.abort()
  parentPort?.close()
})
