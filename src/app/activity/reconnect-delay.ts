const FIRST_MS = 800
const LONGEST_MS = 10_000
const JITTER = 0.25

/**
 * How long to wait before attempt number `attempt` (0 is the first) to connect again, in milliseconds. The first wait is shorter than a second,
 * and each wait is twice the one before, up to 10 s. Up to a quarter is taken off at random, so that many tabs do not connect at once.
 */
export function reconnectDelay(attempt: number, random = Math.random()): number {
  return Math.min(FIRST_MS * 2 ** attempt, LONGEST_MS) * (1 - JITTER * random)
}
