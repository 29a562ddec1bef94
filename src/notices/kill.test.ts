import { test } from "vitest"
import { killRounds } from "./testing/kill-rounds.ts"

test("a desk that is killed at random moments tells everything once", { timeout: 150_000 }, () =>
  killRounds({ desks: 1, kills: 6, items: 15, people: 5, longestMs: 4_000 }),
)
