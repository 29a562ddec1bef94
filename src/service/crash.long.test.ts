import { test } from "vitest"
import { crashRounds } from "./testing/crash-rounds.ts"

test(
  "killed 200 times under load, the service loses nothing, halves nothing and does nothing twice",
  () => crashRounds(200),
  3_600_000,
)
