/**
 * Measures the longest turn of a process's event loop. The process loads this file with `--import`. It answers every IPC message with the
 * longest turn of the main thread since the last message, in milliseconds of processor time. A busy machine does not change processor time.
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
    // The timer above has to measure the turn that just ended.
    setTimeout(() => {
      process.send?.({ longest })
      longest = 0
    }, 20)
  })
  // The IPC channel must not keep the process alive.
  process.channel?.unref()
}
