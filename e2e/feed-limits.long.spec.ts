import { frame } from "./event-upstream.ts"
import { activity, entry, serve, status, WORK } from "./feed-verbs.ts"
import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "events" } })

test("events beyond the limit of memory are left out, which is said", async ({ page, eventUpstream }) => {
  const large = Array.from({ length: 56 }, (_, index) =>
    frame(index + 1, "large", `{"message":"Large ${String(index + 1)}","rows":"${"x".repeat(1_000_000)}"}`),
  )
  serve(eventUpstream, large)
  await page.goto(WORK)
  await expect(entry(page, "Large 56")).toBeVisible({ timeout: 30_000 })
  await expect(activity(page)).toContainText(/older events are hidden/)
  await expect(entry(page, /Large 1\b/)).toHaveCount(0)
  await expect(status(page)).toHaveText(/^Live/)
})
