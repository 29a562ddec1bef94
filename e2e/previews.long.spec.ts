import { dialog, openWork, preview } from "./artifact-verbs.ts"
import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "artifacts" } })

test("a table of thousands of rows keeps only the visible rows, and its end can be reached", async ({
  page,
  artifactUpstream,
}) => {
  const rows = Array.from({ length: 20_000 }, (_, row) => `${String(row)},"name, ${String(row)}",${String(row * 1.5)}`)
  artifactUpstream.results = [
    { path: "big.csv", mediaType: "text/csv", content: `id,name,amount\n${rows.join("\n")}\n` },
  ]
  await openWork(page)
  await preview(page, "big.csv")
  await expect(dialog(page)).toContainText("20,000 rows, 3 columns")
  await expect(dialog(page)).toContainText("Verified, SHA-256")
  const table = dialog(page).getByRole("region", { name: "Table" })
  expect(await table.getByRole("row").count()).toBeLessThan(100)
  await table.focus()
  await page.keyboard.press("End")
  await expect(table.getByRole("cell", { name: "name, 19999" })).toBeVisible()
  expect(await table.getByRole("row").count()).toBeLessThan(100)
})

test("a JSON of 50 MB is shown by its beginning, without the rest being fetched", async ({
  page,
  artifactUpstream,
}) => {
  const member = `"${"k".repeat(49_000)}",\n`
  artifactUpstream.results = [
    {
      path: "huge.json",
      mediaType: "application/json",
      content: `[${member}`,
      sending: { kind: "repeat", times: 1_020 },
    },
    {
      path: "small.json",
      mediaType: "application/json",
      content: '{"id": 9007199254740993, "rate": 1.10, "rows": [[1, 2], {"deep": {"er": null}}], "name": "Ana"}',
    },
  ]
  await openWork(page)
  await preview(page, "huge.json")
  await expect(dialog(page)).toContainText("Only the first 200.0 kB of 50.0 MB is shown")
  await page.keyboard.press("Escape")
  await preview(page, "small.json")
  const text = dialog(page).getByRole("region", { name: "Text" })
  await expect(text).toContainText('"id": 9007199254740993,')
  await expect(text).toContainText('"rate": 1.10,')
  await expect(text).toContainText('"er": null')
})
