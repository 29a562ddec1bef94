import { test } from "vitest"
import { crashRounds } from "./testing/crash-rounds.ts"

test(
  "a service that is killed 100 times under load loses no write, keeps no half of a write and does nothing twice",
  () => crashRounds(100),
  3_600_000,
)
