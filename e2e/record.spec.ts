import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { createWithApproval } from "./inbox-verbs.ts"
import { signInAs } from "./people-verbs.ts"
import { addDecisions, createAsPerson, entries, exportRecord, goToTheBeginning, readsOf } from "./record-verbs.ts"

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

/** Comes back to the tab when what the page shows is old. TanStack Query takes this event for a return to the tab. */
async function comeBackLater(page: Page): Promise<void> {
  await page.clock.fastForward(180_000)
  await page.evaluate(() => dispatchEvent(new Event("visibilitychange")))
}

const updatedNow = (page: Page) => expect(page.getByText(/^Updated (?:now|\d s ago)$/)).toBeVisible()

test("a long record draws the rows in sight, goes by keys, and reads only its newest page again", async ({
  page,
  context,
  desk,
}) => {
  await addDecisions(desk, 240)
  await page.clock.install()
  const reads = readsOf(page)
  await page.goto("/record")
  await expect(entries(page)).toHaveCount(50)
  await expect(entries(page).first()).toContainText("Letter 239")
  await goToTheBeginning(page)
  expect(reads).toHaveLength(5)
  await expect(entries(page).last()).toContainText("Letter 0")
  await expect(entries(page).last()).toHaveAttribute("aria-setsize", "240")
  expect(await entries(page).count()).toBeLessThan(60)
  await expectAccessible(page)

  // An entry that a key opens stays open while its row is out of sight.
  await page.keyboard.press("k")
  const second = page.locator("details", { hasText: "Letter 1v1" })
  await expect(second.locator("summary")).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(second.getByText("request_1", { exact: true })).toBeVisible()
  await page.keyboard.press("Home")
  await expect(entries(page).first().locator("summary")).toBeFocused()
  await expect(second).toHaveCount(0)
  await page.keyboard.press("End")
  await expect(second.getByText("request_1", { exact: true })).toBeVisible()

  // New entries stand on top, also more than a page of them, and the rows that a person reads stay in their places.
  const oldest = entries(page).last()
  const before = await oldest.boundingBox()
  for (const { added, rows, pagesRead } of [
    { added: 70, rows: 310, pagesRead: 2 },
    { added: 3, rows: 313, pagesRead: 1 },
  ]) {
    await addDecisions(desk, added)
    reads.length = 0
    await comeBackLater(page)
    await updatedNow(page)
    await expect(oldest).toHaveAttribute("aria-setsize", String(rows))
    expect(Math.abs(((await oldest.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2)
    expect(reads).toHaveLength(pagesRead)
  }
  await page.keyboard.press("Home")
  await expect(entries(page).first().locator("summary")).toBeFocused()
  await expect(entries(page).first()).toContainText("Letter 2")
  await expect(entries(page).nth(3)).toContainText("Letter 69")

  await page.clock.fastForward(180_000)
  await expect(page.getByText("Updated 3 min ago")).toBeVisible()
  await page.getByRole("button", { name: "Refresh" }).click()
  await updatedNow(page)
  expect(reads).toEqual(["", ""])
  await context.setOffline(true)
  await page.getByRole("button", { name: "Refresh" }).click()
  await expect(page.getByText(/Chain was complete/)).toBeVisible()
  await expect(entries(page).first()).toContainText("Letter 2")
})

test("an outcome that was unknown is read again where its row is in sight", async ({ page, desk, relay }) => {
  await page.goto("/record")
  relay.fail("POST", /\/work$/, { kind: "lose-answer" }, 2)
  const create = (key: string) => createAsPerson(page, "Lost", "metronome", "organization", key)
  await create("first")
  await create("second")
  await addDecisions(desk, 130)
  await page.clock.install()
  const reads = readsOf(page)
  await page.reload()
  await goToTheBeginning(page)
  const lost = entries(page).filter({ hasText: "create" })
  await expect(lost).toHaveText([/Outcome unknown/, /Outcome unknown/])
  expect(reads).toHaveLength(3)

  await create("first")
  reads.length = 0
  await comeBackLater(page)
  await expect(lost).toHaveText([/tried to create.*Outcome unknown/, /created Work.*Recorded/])
  expect(reads).toEqual(["", expect.stringMatching(/^\?cursor=/)])

  // Out of sight it is not read. It is read when its row comes into sight.
  await page.keyboard.press("Home")
  await expect(lost).toHaveText([/Already recorded/])
  await create("second")
  reads.length = 0
  await comeBackLater(page)
  await expect(lost).toHaveCount(2)
  expect(reads).toEqual([""])
  await page.clock.fastForward(180_000)
  await page.keyboard.press("End")
  await expect(entries(page).last().locator("summary")).toBeFocused()
  await expect(lost).toHaveText([/Recorded/, /Recorded/])
  expect(reads).toEqual(["", "", expect.stringMatching(/^\?cursor=/)])
})
