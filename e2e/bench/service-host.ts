/**
 * The embedded service in a process of its own, so that a benchmark can read the process's memory and processor time. Arguments: the data
 * folder and the configuration file. The process sends its address over IPC, and does what the messages "collect garbage" and "stop" say.
 */
import { startService } from "../../src/service/embedded-service.ts"

const [dataFolder = "", configFile = ""] = process.argv.slice(2)
const registry = new URL("service-colleagues.ts", import.meta.url).href
const service = await startService({ host: "127.0.0.1", port: 0, dataFolder, configFile, registry })

process.on("message", (message) => {
  if (message === "stop") void service.stop().then(() => process.exit(0))
  else {
    globalThis.gc?.()
    process.send?.("collected")
  }
})
process.send?.(service.url)
