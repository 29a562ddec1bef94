import { it } from "vitest"
import { canaryRounds } from "./testing/canary-rounds.ts"

it("no byte to a client and no log line has any spelling of the token, with any status", { timeout: 120_000 }, () =>
  canaryRounds({ everyStatus: true }),
)
