import { test } from "vitest"
import { crashRounds } from "./testing/crash-rounds.ts"

// crash.long.test.ts kills it 200 times.
test(
  "killed three times under load, the service loses nothing, halves nothing and does nothing twice",
  () => crashRounds(3),
  90_000,
)
