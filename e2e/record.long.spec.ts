import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { filterBy } from "./filter-verbs.ts"
import { addDecisions, createAsPerson, entries, exportRecord, goToTheBeginning, readsOf } from "./record-verbs.ts"

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
  await expect(page.getByText("Beginning of the record")).toBeVisible()

  const lines = await exportRecord(page)
  expect(lines).toHaveLength(60)
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ operation: "createWork", outcome: "recorded" })
})

test("10,000 entries are read once, and the page stays as small as with one page", async ({ page, desk }) => {
  test.setTimeout(180_000)
  await addDecisions(desk, 10_000)
  const reads = readsOf(page)
  await page.goto("/record")
  await expect(entries(page)).toHaveCount(50)
  await goToTheBeginning(page)
  await expect(entries(page).last()).toContainText("Letter 0")
  await expect(entries(page).last()).toHaveAttribute("aria-setsize", "10000")
  expect(await entries(page).count()).toBeLessThan(60)
  expect(reads).toHaveLength(200)
  await page.getByRole("button", { name: "Refresh" }).click()
  await expect.poll(() => reads.length).toBe(201)
  await expect(entries(page).last()).toHaveAttribute("aria-setsize", "10000")
})

test("an export may take long while it goes on, and one that stands still or breaks is an alert", async ({ page }) => {
  await page.clock.install()
  // A connection that the test feeds, because no test can wait for a desk that takes minutes.
  await page.addInitScript(() => {
    const send = window.fetch.bind(window)
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined
    addEventListener("feed", () => stream?.enqueue(new TextEncoder().encode("{}\n")))
    addEventListener("end-feed", () => stream?.close())
    addEventListener("break-feed", () => stream?.error(new TypeError("broken")))
    window.fetch = async (input, init) => {
      const asked = new Request(input, init)
      if (asked.headers.get("accept") !== "application/jsonl") return send(asked)
      const body = new ReadableStream<Uint8Array>({ start: (begun) => void (stream = begun) })
      return new Response(body, { headers: { "content-type": "application/jsonl" } })
    }
  })
  await page.goto("/record")
  const button = page.getByRole("button", { name: "Export JSON Lines" })
  const dispatch = (name: string) => page.evaluate((name) => dispatchEvent(new Event(name)), name)
  const saved = page.waitForEvent("download")
  await button.click()
  for (let count = 0; count < 4; count++) {
    await dispatch("feed")
    await page.clock.fastForward(25_000)
  }
  await dispatch("end-feed")
  await saved

  const alert = page.getByRole("alert")
  await button.click()
  await dispatch("feed")
  await page.clock.fastForward(31_000)
  await expect(alert).toContainText("No response in time")
  await button.click()
  await expect(alert).toHaveCount(0)
  await dispatch("break-feed")
  await expect(alert).toContainText("No response")
  await expect(button).toBeEnabled()
})

test("says when the record cannot be read, and reads it when the network is back", async ({ page, context }) => {
  await page.goto("/record")
  await expect(page.getByRole("heading", { level: 2, name: "The record is empty" })).toBeVisible()
  await filterBy(page, "Outcome", "refused")
  await expect(page.getByRole("heading", { level: 2, name: "No entries match" })).toBeVisible()
  await context.setOffline(true)
  await filterBy(page, "Outcome", "unknown")
  await expect(page.getByRole("alert")).toContainText("No response")
  await context.setOffline(false)
  await expect(page.getByRole("alert")).toHaveCount(0, { timeout: 20_000 })
  await expect(page.getByRole("heading", { level: 2, name: "No entries match" })).toBeVisible()
})

test.describe("on a phone in the dark", () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })

  test("is accessible", async ({ page }) => {
    await page.goto("/record")
    await expect(page.getByRole("heading", { level: 2, name: "The record is empty" })).toBeVisible()
    await createAsPerson(page, "A Work with a long title that does not fit into a line of a phone")
    await page.reload()
    await expect(entries(page)).toHaveCount(1)
    await entries(page).locator("summary").press("Enter")
    await expect(entries(page).getByText("createWork")).toBeVisible()
    await expectAccessible(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
})

test("a long record renders the visible rows, goes by keys, and reads only its newest page again", async ({
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

  // An entry that a key opens stays open while its row is not visible.
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
  await expect(page.getByText(/Chain complete at last check/)).toBeVisible()
  await expect(entries(page).first()).toContainText("Letter 2")
})

test("an outcome that was unknown is read again while its row is visible", async ({ page, desk, relay }) => {
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

  // It is not read while its row is not visible.
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

/** Comes back to the tab when what the page shows is old. TanStack Query takes this event for a return to the tab. */
async function comeBackLater(page: Page): Promise<void> {
  await page.clock.fastForward(180_000)
  await page.evaluate(() => dispatchEvent(new Event("visibilitychange")))
}

const updatedNow = (page: Page) => expect(page.getByText(/^Updated (?:now|\d s ago)$/)).toBeVisible()
