import { artifacts, expectLargeDownload, openWork } from "./artifact-verbs.ts"
import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "artifacts" } })

test("300 MB arrive whole, with progress, and can be cancelled", async ({ page, artifactUpstream }) => {
  test.slow()
  await expectLargeDownload(page, artifactUpstream, 300)
})

test("a download that meets a Retry-After says when, waits, and goes on by itself", async ({
  page,
  artifactUpstream,
}) => {
  const result = { path: "a.txt", content: "abc" }
  artifactUpstream.results = [
    { ...result, sending: { kind: "refuse", status: 429, code: "RATE_LIMITED", retryAfterSeconds: 2 } },
  ]
  const asked = () => artifactUpstream.asked.filter((path) => path.endsWith("/content")).length
  await openWork(page)
  const saved = page.waitForEvent("download")
  const button = artifacts(page).getByRole("button", { name: "Download a.txt", exact: true })
  const clickedAt = Date.now()
  await button.click()
  await expect(artifacts(page).getByRole("alert")).toContainText(/Refused with 429.*tries again by itself.*req_429/s)
  artifactUpstream.results = [result]
  // Nor does a click ask before the time.
  await button.click()
  await saved
  expect(Date.now() - clickedAt).toBeGreaterThanOrEqual(2000)
  await expect(artifacts(page).getByText("Verified, SHA-256")).toBeVisible()
  expect(asked()).toBe(2)
})
