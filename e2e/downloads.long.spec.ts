import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Page } from "@playwright/test"
import { unzipSync } from "fflate"
import { hashOf } from "./artifact-upstream.ts"
import { artifacts, expectLargeDownload, openWork, downloadResult } from "./artifact-verbs.ts"
import { createWork, expect, expectAccessible, test, uploadInput } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

/** Delegates a text to the editor, answers its question, and waits for its results. */
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
  await expect(artifacts(page).getByRole("alert")).toContainText(/Refused with 429.*will try again.*req_429/s)
  artifactUpstream.results = [result]
  // Nor does a click ask before the time.
  await button.click()
  await saved
  expect(Date.now() - clickedAt).toBeGreaterThanOrEqual(2000)
  await expect(artifacts(page).getByText("Verified, SHA-256")).toBeVisible()
  expect(asked()).toBe(2)
})

test("the outcome takes the focus from a button that goes with the download", async ({ page, artifactUpstream }) => {
  let goOn = () => {}
  const pause = () => new Promise<void>((resolve) => (goOn = resolve))
  const sending = { kind: "repeat", times: 20, pause } as const
  const slow = { path: "slow.bin", content: Buffer.alloc(1_000_000), sending }
  const refused = { kind: "refuse", status: 429, code: "RATE_LIMITED", retryAfterSeconds: 600 } as const
  artifactUpstream.results = [slow, { path: "refused.txt", content: "abc", sending: refused }]
  await openWork(page)
  const press = async (name: string) => {
    await artifacts(page).getByRole("button", { name, exact: true }).focus()
    await page.keyboard.press("Enter")
  }
  const focused = page.locator(":focus")
  await press("Download slow.bin")
  await press("Cancel the download of slow.bin")
  await expect(focused).toHaveText("Cancelled. Nothing was saved.")
  await page.keyboard.press("Shift+Tab")
  await expect(focused).toHaveText("Download slow.bin")

  await page.keyboard.press("Enter")
  await artifacts(page).getByRole("button", { name: "Cancel the download of slow.bin" }).focus()
  await expect(artifacts(page).getByText("1.0 MB of 20.0 MB")).toBeVisible()
  goOn()
  await expect(focused).toContainText("Saved version 1 as slow.bin", { timeout: 30_000 })

  await press("Download refused.txt")
  await press("Don't try again")
  await expect(focused).toHaveText("Cancelled. Nothing was saved.")
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
  await downloadResult(page, "a.txt")
  await expect(artifacts(page).getByText(/The content isn't verified: its hash type is unknown/)).toBeVisible()
  await artifacts(page).getByRole("button", { name: "Download bare.csv" }).click()
  await expect(artifacts(page).getByRole("alert")).toContainText("has the wrong hash")
  const saved = page.waitForEvent("download")
  await artifacts(page).getByRole("button", { name: "Save anyway" }).click()
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

async function expectNothingSaved(page: Page, act: () => Promise<void>): Promise<void> {
  let saved = 0
  page.on("download", () => (saved += 1))
  await act()
  expect(saved).toBe(0)
}

test("a download is saved byte for byte and shown as verified: 0 bytes, 1 byte, every byte", async ({
  page,
  artifactUpstream,
}) => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  artifactUpstream.results = [
    { path: "empty.txt", content: "" },
    { path: "one.txt", content: "x" },
    {
      path: "deep/er/every.bin",
      content: every,
      hash: `SHA-256=${createHash("sha256").update(every).digest("hex").toUpperCase()}`,
    },
  ]
  await openWork(page)
  for (const [path, name, content] of [
    ["empty.txt", "empty.txt", Buffer.alloc(0)],
    ["one.txt", "one.txt", Buffer.from("x")],
    ["deep/er/every.bin", "every.bin", every],
  ] as const) {
    const download = await downloadResult(page, path)
    expect(download.suggestedFilename()).toBe(name)
    expect(readFileSync(await download.path())).toEqual(content)
  }
  await expect(artifacts(page).getByText("Verified, SHA-256")).toHaveCount(3)
  await expectAccessible(page)
})

test("a cut download is an alert and saves nothing", async ({ page, artifactUpstream }) => {
  artifactUpstream.results = [
    { path: "cut.csv", content: "x".repeat(500_000), sending: { kind: "cut", after: 100_000 } },
  ]
  await openWork(page)
  await expectNothingSaved(page, async () => {
    await artifacts(page).getByRole("button", { name: "Download cut.csv" }).click()
    await expect(artifacts(page).getByRole("alert")).toContainText("The download was cut short")
    await expect(artifacts(page).getByRole("alert")).toContainText("Nothing was saved")
  })
  await expectAccessible(page)
})

test("without a network a download and the archive are refused with an alert, and can be asked for again", async ({
  page,
  context,
  artifactUpstream,
}) => {
  artifactUpstream.results = ["a.csv", "b.csv"].map((path) => ({ path, content: path }))
  await openWork(page)
  const row = artifacts(page).getByRole("listitem").filter({ hasText: "a.csv" })
  await expect(row).toBeVisible()
  await context.setOffline(true)
  await row.getByRole("button", { name: "Download" }).click()
  await expect(row.getByRole("alert")).toContainText("Nothing was saved")
  await expect(row.getByRole("progressbar")).toHaveCount(0)
  await artifacts(page).getByRole("button", { name: "Download all" }).click()
  await expect(artifacts(page).getByRole("alert").last()).toContainText("Nothing was saved")
  await expect(artifacts(page)).toContainText("The archive wasn't saved because of a.csv")
  await context.setOffline(false)
  expect(readFileSync(await (await downloadResult(page, "a.csv")).path(), "utf8")).toBe("a.csv")
})

test("a download that waits for its Retry-After brings the version of its row, and says which", async ({
  page,
  artifactUpstream,
}) => {
  const refuse = { kind: "refuse", status: 429, code: "RATE_LIMITED", retryAfterSeconds: 4 } as const
  artifactUpstream.results = [{ path: "report.csv", id: "one", version: 1, content: "older", sending: refuse }]
  await openWork(page)
  const saved = page.waitForEvent("download")
  const row = artifacts(page).getByRole("listitem")
  await row.getByRole("button", { name: "Download report.csv" }).click()
  await expect(row.getByRole("alert")).toBeVisible()
  artifactUpstream.results = [
    { path: "report.csv", id: "two", version: 2, content: "newer" },
    { path: "old/report.csv", id: "one", version: 1, content: "older" },
  ]
  artifactUpstream.announce("artifact.created")
  await expect(row.filter({ hasText: "Version 2" })).toBeVisible()
  expect(readFileSync(await (await saved).path(), "utf8")).toBe("newer")
  await expect(row.first()).toContainText("Saved version 2 as report.csv")
})

test("a wrong hash and a wrong size are alerts and save nothing", async ({ page, artifactUpstream }) => {
  artifactUpstream.results = [
    { path: "wrong.csv", content: "a,b", hash: hashOf("c,d") },
    { path: "short.csv", content: "a,b", size: 4 },
  ]
  await openWork(page)
  await expectNothingSaved(page, async () => {
    await artifacts(page).getByRole("button", { name: "Download wrong.csv" }).click()
    await expect(artifacts(page).getByRole("alert")).toContainText("has the wrong hash")
    await artifacts(page).getByRole("button", { name: "Download short.csv" }).click()
    await expect(artifacts(page).getByRole("alert").last()).toContainText("3 bytes arrived instead of 4")
  })
})

test("file names lead to no other folder, hide nothing, and keep their extension", async ({
  page,
  artifactUpstream,
}) => {
  const names: readonly (readonly [path: string, saved: string])[] = [
    ["../../../etc/passwd", "passwd"],
    ['quo"te\r\nX-Header: 1.csv', "quo_teX-Header_ 1.csv"],
    ["invoice\u202Efdp.exe", "invoicefdp.exe"],
    [`${"é".repeat(300)}.csv`, `${"é".repeat(98)}.csv`],
    ["CON.txt", "_CON.txt"],
  ]
  artifactUpstream.results = names.map(([path]) => ({ path, content: "x" }))
  await openWork(page)
  const rows = artifacts(page).getByRole("listitem")
  await expect(rows).toHaveCount(names.length)
  for (const [index, [, saved]] of names.entries()) {
    const downloading = page.waitForEvent("download")
    await rows.nth(index).getByRole("button", { name: "Download" }).click()
    expect((await downloading).suggestedFilename()).toBe(saved)
  }
  await expect(rows.nth(2)).toContainText("U+202E")
})

test("all results make one archive, with the folders of their paths and none outside", async ({
  page,
  artifactUpstream,
}) => {
  artifactUpstream.results = [
    { path: "reports/profile.md", content: "# Profile" },
    { path: "../../reports/Profile.md", content: "other" },
    { path: "data.csv", content: "a,b\r\n1,2" },
    { path: "not-yet.csv", content: "a", state: "processing" },
  ]
  await openWork(page)
  const saved = page.waitForEvent("download")
  await artifacts(page).getByRole("button", { name: "Download all" }).click()
  const download = await saved
  expect(download.suggestedFilename()).toBe("work-work_1.zip")
  const entries = unzipSync(readFileSync(await download.path()))
  const texts = Object.entries(entries).map(([name, bytes]) => [name, new TextDecoder().decode(bytes)])
  expect(texts).toEqual([
    ["reports/profile.md", "# Profile"],
    ["reports/Profile (2).md", "other"],
    ["data.csv", "a,b\r\n1,2"],
  ])
  await expect(artifacts(page).getByText("Verified, SHA-256")).toBeVisible()
})

test("one wrong result leaves no archive", async ({ page, artifactUpstream }) => {
  artifactUpstream.results = [
    { path: "good.csv", content: "a" },
    { path: "wrong.csv", content: "a", hash: hashOf("b") },
  ]
  await openWork(page)
  await expectNothingSaved(page, async () => {
    await artifacts(page).getByRole("button", { name: "Download all" }).click()
    await expect(artifacts(page).getByRole("alert")).toContainText("has the wrong hash")
    await expect(artifacts(page)).toContainText("The archive wasn't saved because of wrong.csv")
  })
})
