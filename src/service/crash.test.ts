import { test } from "vitest"
import { crashRounds } from "./testing/crash-rounds.ts"

// crash.long.test.ts kills the service 200 times.
test(
  "a service that is killed under load loses no write, keeps no half of a write and does nothing twice",
  () => crashRounds(1),
  90_000,
)
