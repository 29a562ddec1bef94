import type { Page } from "@playwright/test"
import { createWork, expect, expectAccessible } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

export const rows = (page: Page) => page.getByRole("list", { name: "Work" }).getByRole("link")

/** Creates four Works of two colleagues. One of the Works asks. */
export async function createFour(desk: Desk) {
  await createWork(desk, { colleague_id: "metronome", title: "Late", due_at: inDays(-2), priority: "high" })
  await createWork(desk, { colleague_id: "metronome", title: "Soon", due_at: inDays(3), priority: "low" })
  await createWork(desk, { colleague_id: "metronome", title: "Someday", objective: "Résumé of the year" })
  await createWork(desk, { colleague_id: "editor", title: "Asks" })
}

/** Opens the Overview of those four Works, and compares its plots with its tables. */
export async function expectOverview(page: Page, desk: Desk): Promise<void> {
  await createFour(desk)
  await page.goto("/overview")
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
  await expect(page.getByText("All 4 checked")).toBeVisible()
  await expect(page.getByText(/^Longest waiting:/)).toBeVisible()
  const waits = page.getByRole("figure", { name: "What waits" })
  await expect(waits).toHaveAccessibleDescription("1 question and 0 approvals")
  await expect(page.getByRole("figure", { name: "Due" })).toHaveAccessibleDescription(
    /^1 overdue; .* 2 without a date$/,
  )
  await expect(page.getByRole("figure", { name: "Decisions" })).toHaveCount(0)
  await expectAccessible(page)

  for (const figure of ["What waits", "Due", "Colleagues"]) {
    await page.getByRole("figure", { name: figure }).getByRole("button", { name: "Show as table" }).click()
  }
  const cells = (figure: string, row: string) =>
    page.getByRole("figure", { name: figure }).getByRole("row", { name: row }).getByRole("cell")
  await expect(cells("Due", "Overdue")).toHaveText("1")
  await expect(cells("Due", "Without a date")).toHaveText("2")
  await expect(cells("Colleagues", "metronome").nth(1)).toHaveText("3")
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)

  await waits.getByRole("button", { name: "Show as table" }).click()
  await page.evaluate(() => (document.documentElement.dataset["load"] = "first"))
  await waits.getByRole("link").click()
  await expect(page).toHaveURL(/\/needs-you\?item=/)
  await expect(page.locator("html"), "a mark does not load the app again").toHaveAttribute("data-load", "first")
  await expect(page.getByRole("textbox", { name: "Your answer" })).toBeVisible()
}

/** Saves views as the person of `page`. */
export async function saveViews(page: Page, views: readonly { name: string; query: string }[]): Promise<void> {
  const status = await page.evaluate(async (views) => {
    const { person } = await (await fetch("/desk/session")).json()
    const headers = {
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
      "desk-person": person.id,
      "if-match": (await fetch("/desk/views")).headers.get("etag") ?? "",
    }
    return (await fetch("/desk/views", { method: "PUT", headers, body: JSON.stringify({ views }) })).status
  }, views)
  expect(status).toBe(200)
}

export const VIEWS = [
  { name: "October close", query: "q=october&sort=due" },
  { name: "Only the analyst", query: "colleague=analyst" },
]
