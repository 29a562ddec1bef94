/**
 * The embedded service in a process of its own, as the benchmarks of the service measure it: they ask for its memory and processor time
 * over IPC. Arguments: the data folder and the configuration file.
 */
import { startService } from "../../src/service/service.ts"

const [dataFolder = "", configFile = ""] = process.argv.slice(2)
const registry = new URL("service-colleagues.ts", import.meta.url).href
const service = await startService({ host: "127.0.0.1", port: 0, dataFolder, configFile, registry })

process.on("message", (question) => {
  if (question === "usage") {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    process.send?.({ resident: process.memoryUsage().rss, processor: user + system })
  } else void service.stop().then(() => process.exit(0))
})
process.send?.({ url: service.url })
