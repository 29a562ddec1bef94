import { test } from "./fixtures.ts"
import { decideRandomApprovals } from "./random-approvals.ts"

test("8 random approvals: the screen, the wire and the record agree exactly", async ({ page, desk, relay }) => {
  await decideRandomApprovals(8, { page, desk, relay })
})
