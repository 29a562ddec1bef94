import { test } from "vitest"
import { PROPERTIES } from "./testing/outside-texts.ts"

test.each(Object.entries(PROPERTIES))("%s", (_, holds) => holds({ runs: 300 }))
