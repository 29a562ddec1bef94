/** The longest time, in milliseconds of this thread's processor time, for which `work` keeps the event loop. */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let [longest, isDone] = [0, false]
  let before = spentMs()
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
  return longest
}

// Processor time: a busy machine does not change it.
function spentMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
