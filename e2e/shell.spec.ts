import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { createAsking } from "./inbox-verbs.ts"
import { moreButton, navigation } from "./people-verbs.ts"

test("counts what waits beside its name, in the title and on the icon, and reaches zero", async ({ page, desk }) => {
  const first = await createAsking(desk, "First")
  const second = await createAsking(desk, "Second")
  await page.goto("/work")
  await expect(page).toHaveTitle("(2) Work · Workdesk")
  await expect(navigation(page).getByRole("link", { name: "Needs You 2" })).toBeVisible()
  await expect(navigation(page).getByRole("link", { name: "Approvals" })).toHaveText("Approvals")
  await expect(page.locator("#icon")).toHaveAttribute("href", "/icon-waiting.svg")
  await desk.owner.answer(first, "Go on")
  await desk.owner.answer(second, "Go on")
  await expect(page).toHaveTitle("Work · Workdesk", { timeout: 45_000 })
  await expect(navigation(page).getByRole("link", { name: "Needs You" })).toHaveText("Needs You")
  await expect(page.locator("#icon")).toHaveAttribute("href", "/icon.svg")
})

test("keeps the chosen theme for the next load and the other tabs", async ({ page, context }) => {
  await page.goto("/work")
  const other = await context.newPage()
  await other.goto("/work")
  await moreButton(page).click()
  await page.getByRole("button", { name: /^Theme: system/ }).click()
  await page.getByRole("button", { name: /^Theme: light/ }).click()
  for (const tab of [page, other]) await expect(tab.locator("html")).toHaveAttribute("data-theme", "dark")
  await page.reload()
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark")
})

test("a page begins with its heading while there is nothing to say above it", async ({ page }) => {
  await page.goto("/work")
  const first = page.getByRole("main").locator(":scope > :first-child")
  await expect(first.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
})

test("says that it is offline, and reads again when it is back", async ({ page, context, desk }) => {
  await page.goto("/work")
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
  await context.setOffline(true)
  await expect(page.getByText("You're offline")).toBeVisible()
  await expectAccessible(page)
  await createWork(desk, { colleague_id: "metronome", objective: "rate=0.001", title: "Made meanwhile" })
  await context.setOffline(false)
  await expect(page.getByText("You're offline")).toHaveCount(0)
  await expect(page.getByRole("button", { name: "1 new" })).toBeVisible({ timeout: 30_000 })
})

test("says on every page since when the desk has not answered, and that counts may be old", async ({ page, desk }) => {
  await createAsking(desk, "First")
  await page.goto("/record")
  await expect(navigation(page).getByRole("link", { name: "Needs You 1" })).toBeVisible()
  await desk.stopServer()
  const silence = page.getByRole("status").filter({ hasText: /The desk hasn't responded since \d\d:\d\d/ })
  await expect(silence).toBeVisible()
  await expectAccessible(page)
  await expect(page).toHaveTitle("(1?) Record · Workdesk")
  await expect(navigation(page).getByRole("link", { name: "Needs You 1?, as of the last update" })).toHaveText(
    "Needs You 1?",
  )
  await navigation(page).getByRole("link", { name: "Work", exact: true }).click()
  await expect(silence).toBeVisible()
  await desk.startServer()
  await expect(silence).toHaveCount(0)
  await expect(page).toHaveTitle("(1) Work · Workdesk")
})

test("stays usable when a page's code does not arrive, and fetches it when the network is back", async ({
  page,
  context,
  complaints,
}) => {
  await page.goto("/work")
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
  await context.setOffline(true)
  await navigation(page).getByRole("link", { name: "New Work" }).click()
  const alert = page.getByRole("alert")
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This page couldn't be loaded")
  await expect(alert).toContainText("Reload the page to try again.What you typed is kept.")
  await expect(alert, "the browser's own words help nobody here").not.toContainText(/preload|import|assets/)
  await expect(alert.getByRole("button", { name: "Reload" })).toBeVisible()
  await expectAccessible(page)
  await navigation(page).getByRole("link", { name: "Work", exact: true }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await navigation(page).getByRole("link", { name: "New Work" }).click()
  await context.setOffline(false)
  await expect(page.getByLabel("Objective")).toBeVisible()
  // React logs what its boundary caught.
  expect(complaints.splice(0).filter((text) => !/dynamically imported module|preload CSS/.test(text))).toEqual([])
})
