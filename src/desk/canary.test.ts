import { it } from "vitest"
import { canaryRounds } from "./testing/canary-rounds.ts"

// canary.long.test.ts sends every spelling of the token with every status.
it("no byte to a client and no log line has the token, whatever the upstream sends", { timeout: 60_000 }, () =>
  canaryRounds({ everyStatus: false }),
)
