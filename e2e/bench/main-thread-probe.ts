/**
 * Loaded into a measured process with `--import`: tells over IPC the longest turn of the main thread's event loop since it was last asked,
 * in milliseconds of processor time. Unlike a latency, it is the same on a busy machine.
 */
import { isMainThread } from "node:worker_threads"

if (isMainThread && process.send !== undefined) {
  let last = process.threadCpuUsage()
  let longest = 0
  setInterval(() => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user - last.user + now.system - last.system) / 1000)
    last = now
  }, 1).unref()
  process.on("message", () => {
    // The turn that just ended is measured by the timer above.
    setTimeout(() => {
      process.send?.({ longest })
      longest = 0
    }, 20)
  })
  // The channel must not keep the process alive.
  process.channel?.unref()
}
