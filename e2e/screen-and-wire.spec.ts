import { test } from "./fixtures.ts"
import { decideRandomApprovals } from "./random-approvals.ts"

test("12 random approvals: the screen, the wire and the record agree exactly", async ({ page, desk, relay }) => {
  await decideRandomApprovals(12, { page, desk, relay })
})
