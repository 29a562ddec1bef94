import { expect, test } from "./fixtures.ts"
import { createAsPerson, entries, exportRecord } from "./record-verbs.ts"

test("loads to the beginning, and exports the whole record as JSON Lines", async ({ page }) => {
  await page.goto("/approvals?decided")
  await expect(page).toHaveURL(/\/record$/)
  await expect(page.getByRole("heading", { level: 2, name: "The record is empty" })).toBeVisible()
  for (let count = 0; count < 60; count++) await createAsPerson(page, `Work ${count}`, "metronome")
  await page.reload()
  await expect(entries(page).first()).toContainText("created Work")
  await entries(page).last().scrollIntoViewIfNeeded()
  await expect(entries(page)).toHaveCount(60)
  await page.mouse.wheel(0, 20_000)
  await expect(page.getByText("This is the beginning of the record.")).toBeVisible()

  const lines = await exportRecord(page)
  expect(lines).toHaveLength(60)
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ operation: "createWork", outcome: "recorded" })
})
