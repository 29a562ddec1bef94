import { test } from "vitest"
import { PROPERTIES } from "./testing/outside-texts.ts"

test.each(Object.entries(PROPERTIES))("%s, of new texts each time", { timeout: 300_000 }, (_, holds) =>
  holds({ runs: 30_000, fresh: true }),
)
