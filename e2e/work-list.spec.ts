import type { Page } from "@playwright/test"
import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { createMany, quiet, row, rows } from "./work-list-verbs.ts"

const filter = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Status" }).getByRole("link", { name, exact: true })

test("says what will appear while there is no Work, and shows Work with everything that a glance needs", async ({
  page,
  desk,
}) => {
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
  await expect(page.getByRole("navigation", { name: "Status" })).toHaveCount(0)
  await expect(page.getByRole("button", { name: "Filter" })).toHaveCount(0)
  await expectAccessible(page)

  await createWork(desk, { ...quiet("Late and urgent"), priority: "urgent", due_at: "2020-02-03T10:00:00Z" })
  await createWork(desk, { colleague_id: "editor", title: "Asks a question" })
  // Nobody has touched the list, so it follows what is known, and says that there is something new.
  await expect(page.getByRole("button", { name: "2 new" })).toBeVisible()
  await expect(row(page, "Late and urgent")).toContainText("Urgent")
  await expect(row(page, "Late and urgent")).toContainText("Overdue 3 Feb 2020")
  await expect(row(page, "Late and urgent")).toContainText("metronome")
  await expect(row(page, "Asks a question")).toContainText("Needs You")
  await expect(row(page, "Asks a question")).toContainText("?")
  await expectAccessible(page)
})

test("keeps the filter in the address and updates a row that leaves it in its place", async ({ page, desk }) => {
  await createWork(desk, quiet("Stays busy"))
  const asked = await createWork(desk, { colleague_id: "editor", title: "Waits for an answer" })
  await desk.owner.waitForStatus(asked.id, "needs_you")
  await page.goto("/work")
  await filter(page, "Needs You").click()
  await expect(page).toHaveURL(/\/work\?status=needs_you$/)
  await expect(rows(page)).toHaveCount(1)
  await expect(filter(page, "Needs You")).toHaveAttribute("aria-current", "true")

  await desk.owner.answer(asked.id, "Go on")
  await expect(row(page, "Waits for an answer")).toContainText("Done", { timeout: 60_000 })

  await page.reload()
  await expect(page.getByRole("heading", { name: "No Work needs you" })).toBeVisible()
  await filter(page, "All").click()
  await expect(page).toHaveURL(/\/work$/)
  await expect(rows(page)).toHaveCount(2)
})

test("shows every choice of the filter in a window of 320 pixels", async ({ page, desk }) => {
  await createWork(desk, quiet("Shown"))
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto("/work")
  const choices = page.getByRole("navigation", { name: "Status" }).getByRole("link")
  await expect(choices).toHaveText(["All", "Working", "Needs You", "Paused", "Done"])
  for (const choice of await choices.all()) await expect(choice).toBeInViewport({ ratio: 1 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  const places = page.getByRole("navigation", { name: "Main" }).getByRole("link")
  const tooWide = (links: HTMLElement[]) => links.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  expect((await places.evaluateAll(tooWide)).length).toBe(0)
})

test("shows every choice of the filter in one line on a phone", async ({ page, desk }) => {
  await createWork(desk, quiet("Shown"))
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto("/work")
    const choices = page.getByRole("navigation", { name: "Status" }).getByRole("link")
    await expect(choices).toHaveText(["All", "Working", "Needs You", "Paused", "Done"])
    const lines = await choices.evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top))
    expect(new Set(lines).size).toBe(1)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }
})

test("holds new Work behind a button that leads to the top", async ({ page, desk }) => {
  await createMany(desk, 40)
  await page.goto("/work")
  await expect(rows(page)).toHaveCount(40)
  await page.evaluate(() => scrollTo(0, 800))
  await createWork(desk, quiet("Fresh one"))
  const news = page.getByRole("button", { name: "1 new" })
  await expect(news).toBeVisible({ timeout: 60_000 })
  await expect(row(page, "Fresh one")).toHaveCount(0)
  expect(await page.evaluate(() => scrollY)).toBe(800)
  await news.click()
  await expect(rows(page).first()).toContainText("Fresh one")
  await expect(rows(page)).toHaveCount(41)
  expect(await page.evaluate(() => scrollY)).toBe(0)
  await expect(page.getByRole("button", { name: /new$/ })).toHaveCount(0)
})

test("finds in all open Work, says so, and keeps the words in the address", async ({ page, desk }) => {
  await createMany(desk, 70)
  await page.goto("/work?status=working")
  await expect(page.getByText("70 of 70 open")).toBeVisible()
  await page.getByRole("searchbox", { name: "Find" }).fill("bulk 0003")
  await expect(page.getByText("1 of 70 open")).toBeVisible()
  await expect(page).toHaveURL(/status=working&q=bulk\+0003$/)
  await expect(rows(page)).toHaveCount(1)
  await rows(page).click()
  await expect(page.getByRole("heading", { level: 1, name: "Bulk 0003" })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole("searchbox", { name: "Find" })).toHaveValue("bulk 0003")
  await expect(rows(page)).toHaveCount(1)
})

test("shows hostile words as text", async ({ page, desk }) => {
  await createWork(desk, quiet("Invoice \u202Egpj.exe <img src=x onerror=alert(1)> p\u0430ypal zero\u200Bwidth"))
  await page.goto("/work")
  await expect(rows(page)).toHaveCount(1)
  await expect(page.getByText("U+202E", { exact: true })).toBeVisible()
  await expect(page.getByText("U+200B", { exact: true })).toBeVisible()
  await expect(rows(page)).toContainText("Mixed scripts: Latin, Cyrillic")
  await expect(page.locator("main img")).toHaveCount(0)
})

test("offers a way out of an unknown address, and lists the shortcuts", async ({ page, complaints }) => {
  await page.goto("/nowhere")
  await expect(page.getByRole("heading", { level: 1, name: "Not found" })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole("link", { name: "Go to Work" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeFocused()
  await page.keyboard.press("?")
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeFocused()
  expect(complaints).toEqual([])
})

test("the shortcuts are shown from their beginning on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 640 })
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await page.keyboard.press("?")
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await expect(dialog.getByRole("heading")).toBeFocused()
  await expect(dialog.getByRole("heading")).toBeInViewport()
  expect(await dialog.evaluate((element) => element.scrollTop)).toBe(0)
})

test("the columns have headings, and a title has room for 24 characters from 1024 pixels on", async ({
  page,
  desk,
}) => {
  const title = "Reconcile invoices of May"
  await createWork(desk, { colleague_id: "metronome", title, priority: "urgent", due_at: "2020-01-02T03:04:05Z" })
  for (const width of [1024, 1280]) {
    await page.setViewportSize({ width, height: 720 })
    await page.goto("/work")
    const row = page.getByRole("link", { name: title })
    await expect(row).toBeVisible()
    for (const heading of ["Status", "Title", "Colleague", "Due", "Created"])
      await expect(page.getByRole("main").locator("[aria-hidden] > span", { hasText: heading }).first()).toBeVisible()
    const isCut = await row.getByText(title).evaluate((element) => {
      const cut = element.closest("bdi")?.parentElement ?? element
      return cut.scrollWidth > cut.clientWidth
    })
    expect(isCut, `${width}`).toBe(false)
  }
})
