const FIRST_MS = 800
const LONGEST_MS = 10_000
const JITTER = 0.25

/**
 * How long to wait before try number `attempt` (0 is the first) to connect again, in milliseconds: within a second, then
 * doubled up to 10 s. Up to a quarter less at random, so that many tabs do not come back together.
 */
export function reconnectDelay(attempt: number, random = Math.random()): number {
  return Math.min(FIRST_MS * 2 ** attempt, LONGEST_MS) * (1 - JITTER * random)
}
