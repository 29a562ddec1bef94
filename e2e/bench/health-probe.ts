/**
 * Asks `/desk/health` every few milliseconds, also while an earlier request has no answer yet, in a thread of its own: what else the
 * benchmark does must not count as waiting. The probe tells when it has its first answer. Any message ends the probe, which then tells
 * all waits in milliseconds.
 */
import { once } from "node:events"
import { Agent, get } from "node:http"
import { parentPort, workerData } from "node:worker_threads"

const PROBE_MS = 5

const agent = new Agent({ keepAlive: true })
const waits: number[] = []
const pending = new Set<Promise<void>>()

function ask(): void {
  const begun = performance.now()
  const { promise, resolve } = Promise.withResolvers<void>()
  const request = get(`${String(workerData)}/desk/health`, { agent }, (response) => {
    response.resume()
    response.once("end", () => {
      if (waits.length === 0) parentPort?.postMessage("asking")
      waits.push(performance.now() - begun)
      resolve()
    })
  })
  request.once("error", () => resolve())
  pending.add(promise)
  void promise.finally(() => pending.delete(promise))
}

if (parentPort !== null) {
  const timer = setInterval(ask, PROBE_MS)
  await once(parentPort, "message")
  clearInterval(timer)
  await Promise.all(pending)
  agent.destroy()
  parentPort.postMessage(waits)
  parentPort.close()
}
