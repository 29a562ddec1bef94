/** How often a person may send a test. */
import { refusal } from "../../platform/http/refusals.ts"
import { Refused } from "../../platform/http/send.ts"

const TEST_EVERY_MS = 10_000

export type TestLimit = {
  /** @throws Refused (429) when the last test of `key` was less than ten seconds ago */
  readonly check: (key: string) => void
  readonly note: (key: string) => void
}

/** `noun` is what is sent, such as `test mail`. */
export function createTestLimit(noun: string): TestLimit {
  const testedAt = new Map<string, number>()
  return {
    check(key) {
      const wait = (testedAt.get(key) ?? Number.NEGATIVE_INFINITY) + TEST_EVERY_MS - performance.now()
      if (wait > 0) throw new Refused(tooSoon(noun, Math.ceil(wait / 1_000)))
    },
    note: (key) => void testedAt.set(key, performance.now()),
  }
}

const tooSoon = (noun: string, retryAfterSeconds: number) =>
  refusal(429, "PROXY_NOTICES_TEST_TOO_SOON", `A ${noun} was sent within the last ten seconds.`, {
    retryable: true,
    retryAfterSeconds,
  })
