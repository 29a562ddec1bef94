import { createHash } from "node:crypto"
import { createReadStream, statSync } from "node:fs"
import type { Download, Page } from "@playwright/test"
import { type ArtifactUpstream, hashOf } from "./artifact-upstream.ts"
import { expect } from "./fixtures.ts"

/** Opens the only Work of `ArtifactUpstream`. */
export const openWork = (page: Page) => page.goto("/work/work_1")
export const artifacts = (page: Page) => page.getByRole("region", { name: "Artifacts" })
export const dialog = (page: Page) => page.getByRole("dialog", { name: "Preview" })

/** Opens the preview of a result. */
export async function preview(page: Page, path: string): Promise<void> {
  await page.getByRole("button", { name: `Preview ${path}`, exact: true }).click()
  await expect(dialog(page)).toBeVisible()
}

/** Downloads a result of so many megabytes in the Work's page: once cancelled on the way, once to its end. */
export async function expectLargeDownload(page: Page, upstream: ArtifactUpstream, megabytes: number): Promise<void> {
  const megabyte = Buffer.alloc(1_000_000, "workdesk ")
  let resume = () => {}
  const pause = () => new Promise<void>((resolve) => (resume = resolve))
  const sending = { kind: "repeat", times: megabytes, pause } as const
  upstream.results = [{ path: "huge.bin", content: megabyte, sending }]
  await openWork(page)
  const row = artifacts(page).getByRole("listitem")

  await row.getByRole("button", { name: "Download huge.bin" }).click()
  await expect(row.getByRole("progressbar")).toBeVisible()
  await row.getByRole("button", { name: "Cancel" }).click()
  await expect(row.getByText("Cancelled. Nothing was saved.")).toBeVisible()

  const saved = page.waitForEvent("download")
  await row.getByRole("button", { name: "Download huge.bin" }).click()
  await expect(row.getByText(`1.0 MB of ${megabytes.toFixed(1)} MB`)).toBeVisible()
  resume()
  const path = await (await saved).path()
  await expect(row.getByText("Verified, SHA-256")).toBeVisible()
  expect(statSync(path).size).toBe(megabytes * 1_000_000)
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  expect(`sha256:${hash.digest("hex")}`).toBe(hashOf(megabyte, megabytes))
}

/** Downloads the result of a path. */
export async function downloadResult(page: Page, path: string): Promise<Download> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    artifacts(page)
      .getByRole("button", { name: `Download ${path}`, exact: true })
      .click(),
  ])
  return download
}
