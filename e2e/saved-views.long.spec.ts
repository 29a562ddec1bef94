import { expect, expectAccessible, test } from "./fixtures.ts"
import { saveViews, VIEWS } from "./glance-verbs.ts"
import { navigation } from "./people-verbs.ts"

test("a view that cannot be removed stays, and says why", async ({ page, context }) => {
  await page.goto("/work")
  await saveViews(page, VIEWS)
  await page.reload()
  const menu = navigation(page)
  await expect(menu.getByRole("link", { name: "October close" })).toBeVisible()
  await context.setOffline(true)
  await menu.getByRole("button", { name: "Remove October close" }).click()
  await expect(menu.getByRole("alert")).toContainText("The view is still there.")
  await expect(menu.getByRole("link", { name: "October close" })).toBeVisible()
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("every link of the navigation is in the window, the views with the list", async ({ page }) => {
    await page.goto("/work")
    const menu = navigation(page)
    await saveViews(page, VIEWS)
    await page.reload()
    for (const name of ["Overview", "Work", "Needs You", "Approvals", "New Work", "Record", "Overdue"])
      await expect(menu.getByRole("link", { name, exact: true })).toBeInViewport({ ratio: 1 })
    await menu.getByRole("link", { name: "Only the analyst" }).scrollIntoViewIfNeeded()
    await expect(menu.getByRole("button", { name: "Remove Only the analyst" })).toBeVisible()
    await expectAccessible(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await menu.getByRole("link", { name: "Record" }).click()
    await expect(menu.getByRole("link", { name: "Overdue" })).toBeHidden()
  })
})
