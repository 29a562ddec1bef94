import { expect, test } from "./fixtures.ts"
import { choose, file, fill, row } from "./new-work-verbs.ts"

test.beforeEach(({ page }) => fill(page, "Review it", "editor"))

test("429 waits for its Retry-After, and then the upload is sent under the same key", async ({ page, relay }) => {
  relay.fail("POST", /\/uploads$/, { kind: "refuse", status: 429, code: "RATE", headers: { "retry-after": "2" } }, 1)
  await choose(page, file("late.csv", "a,b\n1,2\n"))
  await expect(row(page, "late.csv").getByRole("alert")).toContainText(/tries again by itself/)
  await expect(row(page, "late.csv").getByText("Ready")).toBeVisible()
  const [first, second] = relay.mutations()
  expect(second?.key).toBe(first?.key)
})

test("the scan is asked for at growing intervals, and not at once", async ({ page, relay }) => {
  test.slow()
  await choose(page, file("slow-scan.csv", "a,b\n1,2\n"))
  await expect(row(page, "slow-scan.csv")).toContainText("Being scanned")
  await expect(row(page, "slow-scan.csv").getByText("Ready")).toBeVisible({ timeout: 20_000 })
  const looks = relay.passed.filter(({ method, path }) => method === "GET" && path.includes("/uploads/")).length
  expect(looks).toBeGreaterThan(2)
  expect(looks).toBeLessThan(12)
})
