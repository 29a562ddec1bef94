import { expect, expectAccessible, test } from "./fixtures.ts"
import { readToTheEnd, createWithApproval } from "./inbox-verbs.ts"
import { signInAs } from "./people-verbs.ts"
import { createAsPerson, entries, exportRecord } from "./record-verbs.ts"

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("shows who did what and when, opens each entry, and filters by the address", async ({ page, context, desk }) => {
    const workId = await createWithApproval(desk)
    await signInAs(page, "Ben Okafor", "/record")
    await expect(page.getByRole("heading", { level: 2, name: "The record is empty" })).toBeVisible()
    await expectAccessible(page)
    const benWork = await createAsPerson(page, "Made by Ben")
    await createAsPerson(page, "Nobody works on this", "nobody")
    await page.reload()
    await expect(entries(page)).toHaveText([
      /Ben Okafor.*tried to create Work.*Refused \(404\)/,
      /Ben Okafor.*created Work.*Recorded/,
    ])
    await context.clearCookies()

    await signInAs(page, "Ada Lovelace", `/approvals?work=${workId}`)
    await page.goto(`/work/${workId}`)
    await readToTheEnd(page)
    await page.getByRole("button", { name: "Approve", exact: true }).click()
    await page.getByRole("button", { name: "Confirm approve" }).click()
    await expect(page.getByRole("region", { name: "Approvals" })).toContainText("Approved")

    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Record" }).click()
    await expect(page.getByRole("heading", { level: 1, name: "Record" })).toBeVisible()
    await expect(entries(page)).toHaveText([
      /Ada Lovelace.*approved.*v1.*Recorded/,
      /Ben Okafor.*created Work.*Recorded/,
    ])
    await expect(page.getByText(/Chain complete, \d+ rows, head [0-9a-f]{8}…/)).toBeVisible()
    await entries(page).first().locator("summary").click()
    await expect(entries(page).first().getByText(workId)).toBeVisible()
    await expect(
      entries(page)
        .first()
        .getByText(/sha256:[0-9a-f]{64}/)
        .first(),
    ).toBeVisible()
    await expectAccessible(page)

    await page.getByLabel("Person").selectOption({ label: "Ben Okafor" })
    await expect(entries(page)).toHaveText([/created Work/])
    await page.getByLabel("Outcome").selectOption("recorded")
    await expect(entries(page)).toHaveText([/Recorded/])
    await expect(page).toHaveURL(/\/record\?person=[^&]+&outcome=recorded$/)
    await page.getByRole("link", { name: "Clear" }).click()
    await page.getByLabel("Operation").selectOption("resolveWorkApproval")
    await expect(entries(page)).toHaveText([/approved/])
    await page.goto("/record")
    await page.getByLabel("Work", { exact: true }).fill(benWork)
    await page.keyboard.press("Enter")
    await expect(entries(page)).toHaveText([/created Work/])
    await expect(page).toHaveURL(`${desk.url}/record?work=${benWork}`)
    await expect(page.getByLabel("Work", { exact: true })).toBeFocused()
    await page.getByLabel("Outcome").selectOption("unknown")
    await expect(page.getByRole("heading", { level: 2, name: "No entry matches" })).toBeVisible()
    await page.goBack()
    await expect(page.getByLabel("Outcome")).toHaveValue("")
    await expect(entries(page)).toHaveCount(1)

    await page.goto("/record?item=item_1")
    await expect(page.getByText("Only the item item_1")).toBeVisible()
    await page.getByRole("link", { name: "Show every item" }).click()
    await expect(entries(page)).toHaveCount(2)
  })
})

test("a phone has the filters and the export in one line, and the title beside the age of the page", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto("/record")
  const boxOf = async (name: string) => (await page.getByRole("button", { name }).boundingBox()) ?? { x: 0, y: 0 }
  const [filters, exporting, refresh] = [
    await boxOf("Filters"),
    await boxOf("Export JSON Lines"),
    await boxOf("Refresh"),
  ]
  expect(exporting.y).toBe(filters.y)
  expect(exporting.x).toBeGreaterThan(filters.x)
  const title = await page.getByRole("heading", { level: 1 }).boundingBox()
  expect(title?.y).toBeGreaterThan(0)
  expect(Math.abs((title?.y ?? 0) - refresh.y)).toBeLessThan(40)
})

test("exports the record as JSON Lines", async ({ page }) => {
  await page.goto("/approvals?decided")
  await expect(page).toHaveURL(/\/record$/)
  for (const title of ["One", "Two", "Three"]) await createAsPerson(page, title, "metronome")
  await page.reload()
  await expect(entries(page)).toHaveCount(3)
  const lines = await exportRecord(page)
  expect(lines).toHaveLength(3)
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ operation: "createWork", outcome: "recorded" })
})
