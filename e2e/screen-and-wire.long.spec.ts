import { test } from "./fixtures.ts"
import { decideRandomApprovals } from "./random-approvals.ts"

test("200 random approvals: the screen, the wire and the record agree exactly", async ({ page, desk, relay }) => {
  test.setTimeout(900_000)
  await decideRandomApprovals(200, { page, desk, relay })
})
