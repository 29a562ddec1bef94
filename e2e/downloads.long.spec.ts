import { createHash } from "node:crypto"
import { artifacts, expectLargeDownload, openWork, take } from "./artifact-verbs.ts"
import { createWork, expect, test, uploadInput, expectAccessible } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

/** Has the editor review a text and answers its question, until it has left its results. */
async function finishedWork(desk: Desk, objective: string): Promise<string> {
  const upload = await uploadInput(desk, "notes.md", "# Notes\n\nSome  text to review.\n", "text/markdown")
  const { id } = await createWork(desk, { colleague_id: "editor", objective, input_upload_ids: [upload] })
  await desk.owner.answer(id, "Go on")
  await desk.owner.waitForStatus(id, "done")
  return id
}

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

test("20 MB arrive whole, with progress, and can be cancelled", async ({ page, artifactUpstream }) => {
  await expectLargeDownload(page, artifactUpstream, 20)
})

test("a hash of unknown form is not guessed at; bare digits that do not match are an alert with the person's own way on", async ({
  page,
  artifactUpstream,
}) => {
  artifactUpstream.results = [
    { path: "a.txt", content: "abc", hash: "opaque-7781" },
    { path: "bare.csv", content: "a,b", hash: "0".repeat(64) },
  ]
  await openWork(page)
  await take(page, "a.txt")
  await expect(artifacts(page).getByText(/not checked: the form of its hash is not known/)).toBeVisible()
  await artifacts(page).getByRole("button", { name: "Download bare.csv" }).click()
  await expect(artifacts(page).getByRole("alert")).toContainText("its hash does not match")
  const saved = page.waitForEvent("download")
  await artifacts(page).getByRole("button", { name: "Save it unchecked" }).click()
  await saved
  await expect(artifacts(page).getByText(/Verified/)).toHaveCount(0)
})

test("409, 422 and 404 are shown with the words of the Problem and the request id", async ({
  page,
  artifactUpstream,
}) => {
  artifactUpstream.results = [409, 422, 404].map((status) => ({
    path: `${String(status)}.csv`,
    content: "a",
    sending: { kind: "refuse", status, code: `CODE_${String(status)}` },
  }))
  await openWork(page)
  for (const status of [409, 422, 404]) {
    await artifacts(page)
      .getByRole("button", { name: `Download ${String(status)}.csv` })
      .click()
    const alert = artifacts(page)
      .getByRole("alert")
      .filter({ hasText: `Refused with ${String(status)}` })
    await expect(alert).toContainText(`The test refused this as CODE_${String(status)}.`)
    await expect(alert).toContainText(`Request ID req_${String(status)}`)
    await expect(alert).toContainText("Nothing was saved")
  }
})

test("an archive says which hashes were checked, and its button keeps the focus", async ({
  page,
  artifactUpstream,
}) => {
  const sha512 = createHash("sha512").update("b").digest("hex")
  artifactUpstream.results = [
    { path: "a.csv", content: "a" },
    { path: "b.csv", content: "b", hash: `sha512:${sha512}` },
  ]
  await openWork(page)
  const button = artifacts(page).getByRole("button", { name: "Download all" })
  await button.focus()
  const saved = page.waitForEvent("download")
  await page.keyboard.press("Enter")
  await saved
  await expect(artifacts(page).getByText("Verified, SHA-256, SHA-512")).toBeVisible()
  await expect(button).toBeFocused()
})

test.describe("the embedded service", () => {
  test.use({ deskOptions: {} })
  test("the service's own results: verified, quarantined with its code, blocked by policy", async ({ page, desk }) => {
    const plain = await finishedWork(desk, "Review it")
    await page.goto(`/work/${plain}`)
    await artifacts(page)
      .getByRole("button", { name: /^Download .+\.md$/ })
      .first()
      .click()
    await expect(artifacts(page).getByText("Verified, SHA-256")).toBeVisible()

    const quarantined = await finishedWork(desk, "Review it artifact:quarantine")
    await page.goto(`/work/${quarantined}`)
    await expect(artifacts(page).getByText("Quarantined")).toBeVisible()
    const { data } = await desk.api.GET("/api/v1/work/{id}/artifacts", { params: { path: { id: quarantined } } })
    const kept = data?.data.find(({ processing_state: state }) => state === "quarantined")
    await expect(artifacts(page)).toContainText(kept?.failure_code ?? "no code")
    await expect(artifacts(page).getByRole("button", { name: `Download ${kept?.path ?? ""}` })).toHaveCount(0)

    const blocked = await finishedWork(desk, "Review it artifact:block")
    await page.goto(`/work/${blocked}`)
    await artifacts(page)
      .getByRole("button", { name: /^Download .+\.md$/ })
      .first()
      .click()
    await expect(artifacts(page).getByRole("alert")).toContainText("Request ID")
    await expect(artifacts(page).getByRole("alert")).toContainText("data policy blocks this download")
  })
})

test("what is not available has no download and says why, until it is available, without a reload", async ({
  page,
  artifactUpstream,
}) => {
  artifactUpstream.results = [
    { path: "late.csv", content: "a", state: "processing" },
    { path: "bad.csv", content: "a", state: "quarantined", failureCode: "malware_detected" },
    { path: "old.csv", content: "a", state: "expired" },
    { path: "plain.csv", content: "a" },
  ]
  await openWork(page)
  await expect(artifacts(page).getByRole("button", { name: /^Download .+\.csv$/ })).toHaveCount(1)
  await expect(artifacts(page).getByRole("listitem").nth(0)).toContainText("Being scanned")
  await expect(artifacts(page).getByRole("listitem").nth(1)).toContainText(/Quarantined.*malware_detected/)
  await expectAccessible(page)
  artifactUpstream.results = artifactUpstream.results.map((result) => ({ ...result, state: "available" }))
  await expect(artifacts(page).getByRole("button", { name: "Download late.csv" })).toBeVisible()
})
