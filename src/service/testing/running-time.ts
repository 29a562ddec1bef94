import { onTestFinished } from "vitest"

const TICK_MS = 10

/**
 * Begins to count the time in which this process runs. A tick that is late, because other programs use the processors, counts as two ticks at
 * most. So a test may hold the product, which runs in this process too, to a time that it promises.
 * @returns a function that gives the milliseconds so far
 */
export function countRunningTime(): () => number {
  let counted = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    counted += Math.min(now - last, 2 * TICK_MS)
    last = now
  }, TICK_MS)
  onTestFinished(() => clearInterval(timer))
  return () => counted
}
