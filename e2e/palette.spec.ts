import type { Page } from "@playwright/test"
import { saveViews } from "./glance-verbs.ts"
import { createWork, expect, expectAccessible, test } from "./fixtures.ts"

const dialog = (page: Page) => page.getByRole("dialog", { name: "Go to" })
const field = (page: Page) => dialog(page).getByRole("combobox", { name: "Go to" })

test("opens by Ctrl+K, finds by the beginnings of words in any order, and goes there by keys alone", async ({
  page,
  desk,
}) => {
  const { id } = await createWork(desk, {
    colleague_id: "metronome",
    objective: "rate=0.001",
    title: "Résumé of Öctober",
  })
  await page.goto("/needs-you")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  await page.keyboard.press("Control+k")
  await expect(field(page)).toBeFocused()
  await expect(field(page)).toHaveAttribute("aria-expanded", "true")
  await expectAccessible(page)
  await page.keyboard.type("octo resu")
  const option = dialog(page).getByRole("option", { name: /Résumé of Öctober/ })
  await expect(option).toHaveAttribute("aria-selected", "true")
  const chosen = await field(page).getAttribute("aria-activedescendant")
  await expect(option).toHaveAttribute("id", chosen ?? "")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(new RegExp(`/work/${id}$`))
  await expect(dialog(page)).toHaveCount(0)
})

test("moves with the arrows, says when nothing is found, and Escape gives the focus back", async ({ page }) => {
  await page.goto("/work")
  const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Approvals" })
  await link.focus()
  await page.keyboard.press("Control+k")
  const options = dialog(page).getByRole("option")
  await expect(options.first()).toHaveAttribute("aria-selected", "true")
  await page.keyboard.press("ArrowDown")
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true")
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("ArrowUp")
  await expect(options.last()).toHaveAttribute("aria-selected", "true")
  await page.keyboard.type("zzzz")
  await expect(dialog(page).getByText("Nothing found.")).toBeVisible()
  await expect(field(page)).toHaveAttribute("aria-expanded", "false")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/\/work$/)
  await page.keyboard.press("Escape")
  await expect(dialog(page)).toHaveCount(0)
  await expect(link).toBeFocused()
})

test("does not say that nothing is found while the desk has not answered or has failed", async ({ page }) => {
  await page.goto("/needs-you")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  const held = Promise.withResolvers<void>()
  await page.route(/\/desk\/work\?q=/, async (route) => {
    await held.promise
    await route.abort()
  })
  await page.keyboard.press("Control+k")
  await field(page).fill("zzzz")
  await expect(dialog(page).getByText("Looking for Work…")).toBeVisible()
  await expect(dialog(page).getByText("Nothing found.")).toHaveCount(0)
  held.resolve()
  await expect(dialog(page).getByText("Nothing found so far. Not everything could be loaded")).toBeVisible()
  await page.unrouteAll()
  await field(page).fill("zzzzz")
  await expect(dialog(page).getByText("Nothing found.")).toBeVisible()
})

test("runs actions and opens from within a text field", async ({ page }) => {
  await page.goto("/work/new")
  await page.getByLabel("Objective").focus()
  await page.keyboard.press("Control+k")
  await expect(field(page)).toBeFocused()
  await page.keyboard.type("dark")
  await page.keyboard.press("Enter")
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark")
  await expect(page.getByLabel("Objective")).toBeFocused()
})

test("no key acts on the page while its code, which is loaded at the first use, is on its way", async ({
  page,
  desk,
}) => {
  await page.goto("/work")
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
  const code: string[] = []
  page.on("request", (request) => {
    if (request.url().startsWith(`${desk.url}/assets/`)) code.push(request.url())
  })
  const arrive = Promise.withResolvers<void>()
  await page.route(/\/assets\/palette-.*\.js$/, async (route) => {
    await arrive.promise
    await route.continue()
  })
  await page.keyboard.press("Control+k")
  // "?" would open the help.
  await page.keyboard.type("?")
  await expect(page.getByRole("heading", { name: "Keyboard shortcuts" })).toHaveCount(0)
  arrive.resolve()
  await expect(field(page)).toBeFocused()
  await page.keyboard.type("appro")
  await expect(field(page)).toHaveValue("appro")
  expect(code.some((url) => url.includes("palette"))).toBe(true)
  await expect(page.getByRole("dialog")).toHaveCount(1)
})

test("says so when its code does not arrive, and leaves the page alone", async ({ page, context, complaints }) => {
  await page.goto("/work")
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
  await context.setOffline(true)
  for (const [key, name] of [
    ["Control+k", "Go to"],
    ["?", "Keyboard shortcuts"],
  ] as const) {
    await page.keyboard.press(key)
    await expect(page.getByRole("alert").filter({ hasText: name })).toContainText("couldn't be loaded")
    await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  }
  await context.setOffline(false)
  // React logs what its boundary caught.
  expect(complaints.splice(0).filter((text) => !/dynamically imported module|preload CSS/.test(text))).toEqual([])
})

test("opens the help by its entry, and offers a view that was saved from a built-in one beside it", async ({
  page,
}) => {
  await page.goto("/work")
  await saveViews(page, [{ name: "Late ones", query: "due=overdue" }])
  await page.reload()
  await expect(page.getByRole("link", { name: "Late ones" })).toBeVisible()
  await page.keyboard.press("Control+k")
  await field(page).fill("view")
  await expect(dialog(page).getByRole("option", { name: /Overdue/ })).toHaveCount(1)
  await expect(dialog(page).getByRole("option", { name: /Late ones/ })).toHaveCount(1)
  await field(page).fill("keyboard")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
})

test("Escape while its code is loading keeps it closed", async ({ page }) => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  await page.route(/\/assets\/palette-.*\.js$/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  const asked = page.waitForRequest(/\/assets\/palette-.*\.js$/)
  await page.keyboard.press("Control+k")
  await asked
  await expect(dialog(page)).toHaveAttribute("aria-busy", "true")
  await page.keyboard.press("Escape")
  await expect(dialog(page)).toHaveCount(0)
  const arrived = page.waitForResponse(/\/assets\/palette-.*\.js$/)
  release()
  await arrived
  await page.keyboard.press("?")
  await expect(page.getByRole("dialog")).toHaveCount(1)
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
})

test("actions come first, and Work and pending items are named as on the screen", async ({ page, desk }) => {
  await createWork(desk, { colleague_id: "editor", title: "October close" })
  await page.goto("/needs-you")
  await expect(page.getByRole("link", { name: /October close/ }).first()).toBeVisible()
  await page.keyboard.press("Control+k")
  const options = dialog(page).getByRole("option")
  await expect(options.first()).toContainText("New Work")
  await expect(options.filter({ hasText: /^Question/ })).toContainText("October close")
  await page.keyboard.type("october")
  await expect(options.filter({ hasText: /^Work/ })).toContainText("Needs You, Editor")
  await expect(options.filter({ hasText: "needs_you" })).toHaveCount(0)
})
