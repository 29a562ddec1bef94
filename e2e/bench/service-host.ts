/**
 * The embedded service in a process of its own, as the benchmarks of the service measure it: its memory and processor time
 * are asked for over IPC. Arguments: the data folder and the configuration file.
 */
import type { Colleague } from "../../src/colleagues/colleague.ts"
import { startService } from "../../src/service/service.ts"

/** The clock that both processes share, in milliseconds with fractions. */
const now = () => performance.timeOrigin + performance.now()

/** Publishes ten events a second that say when they were made. */
const clock: Colleague = {
  id: "clock",
  label: "Clock",
  run: (desk) => desk.every(0.1, (count) => ({ type: "tick", payload: { count, at: now() } })),
}

/** Does nothing, and so costs nothing but its beginning. */
const idler: Colleague = {
  id: "idler",
  label: "Idler",
  run: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
}

const [dataFolder = "", configFile = ""] = process.argv.slice(2)
const service = await startService({ host: "127.0.0.1", port: 0, dataFolder, configFile, colleagues: [clock, idler] })

process.on("message", (question) => {
  if (question === "usage") {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.({ resident: process.memoryUsage().rss, processor: user + system })
  } else void service.stop().then(() => process.exit(0))
})
process.send?.({ url: service.url })
