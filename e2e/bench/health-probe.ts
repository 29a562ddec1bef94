/**
 * A worker thread that requests `/desk/health` every 5 ms, also while an earlier request has no answer yet. It is a thread of its own, so that
 * the benchmark's other work does not make the answers seem late. The thread posts "asking" after its first answer. Any message ends the
 * thread, which then posts how long each answer took, in milliseconds.
 */
import { once } from "node:events"
import { Agent, get } from "node:http"
import { parentPort, workerData } from "node:worker_threads"

const PROBE_MS = 5

const agent = new Agent({ keepAlive: true })
const waits: number[] = []
const pending = new Set<Promise<void>>()

function requestHealth(): void {
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
  const timer = setInterval(requestHealth, PROBE_MS)
  await once(parentPort, "message")
  clearInterval(timer)
  await Promise.all(pending)
  agent.destroy()
  parentPort.postMessage(waits)
  parentPort.close()
}
