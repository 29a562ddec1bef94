import { expect, expectAccessible, test } from "./fixtures.ts"
import { filterBy, openFilters } from "./filter-verbs.ts"
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

    await filterBy(page, "Person", "Ben Okafor")
    await expect(entries(page)).toHaveText([/created Work/])
    await filterBy(page, "Outcome", "recorded")
    await expect(entries(page)).toHaveText([/Recorded/])
    await expect(page).toHaveURL(/\/record\?person=[^&]+&outcome=recorded$/)
    await page.getByRole("link", { name: "Clear" }).click()
    await filterBy(page, "Operation", "resolveWorkApproval")
    await expect(entries(page)).toHaveText([/approved/])
    await page.goto("/record")
    const work = (await openFilters(page)).getByLabel("Work", { exact: true })
    await work.fill(benWork)
    await page.keyboard.press("Enter")
    await expect(entries(page)).toHaveText([/created Work/])
    await expect(page).toHaveURL(`${desk.url}/record?work=${benWork}`)
    await expect(work).toBeFocused()
    await filterBy(page, "Outcome", "unknown")
    await expect(page.getByRole("heading", { level: 2, name: "No entries match" })).toBeVisible()
    await page.goBack()
    await expect(page.getByRole("button", { name: "Remove filter: Outcome Outcome unknown" })).toHaveCount(0)
    await expect(entries(page)).toHaveCount(1)

    await page.goto("/record?item=item_1")
    await page.getByRole("button", { name: "Remove filter: Item item_1" }).click()
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
    await boxOf("Filter"),
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

test("the public key that signs the record's heads is shown beside the chain, and is copied in full", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  for (const width of [320, 390, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto("/record")
    const chain = page.getByText(/Chain complete, 0 rows, .*key [0-9a-f]{8}/)
    await expect(chain).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }
  await page.getByRole("button", { name: "Copy public key" }).click()
  await expect(page.getByRole("button", { name: "Copy public key" })).toHaveText("Copied")
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/^workdesk-local\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/)
  await expectAccessible(page)
})
