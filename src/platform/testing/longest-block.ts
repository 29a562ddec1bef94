/**
 * The longest time for which `work` keeps the event loop, and the time of the whole work. Both in milliseconds of this thread's processor time.
 * A test compares them, because a bound in milliseconds would measure the machine. `npm run bench` has the milliseconds.
 */
export async function longestBlock(work: () => Promise<unknown>): Promise<{ longest: number; total: number }> {
  let [longest, isDone] = [0, false]
  const began = spentMs()
  let before = began
  const tick = () => {
    const now = spentMs()
    longest = Math.max(longest, now - before)
    before = now
    if (!isDone) setImmediate(tick)
  }
  setImmediate(tick)
  await work()
  await new Promise(setImmediate)
  isDone = true
  return { longest, total: spentMs() - began }
}

// Processor time: a busy machine does not change it.
function spentMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
