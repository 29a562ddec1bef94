import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { saveViews, VIEWS } from "./glance-verbs.ts"
import { moreButton, navigation } from "./people-verbs.ts"

test("a view that cannot be removed stays, and says why", async ({ page, context }) => {
  await page.goto("/work")
  await saveViews(page, VIEWS)
  await page.reload()
  const menu = navigation(page)
  await expect(menu.getByRole("link", { name: "October close" })).toBeVisible()
  await context.setOffline(true)
  await menu.getByRole("button", { name: "Remove October close" }).click()
  await expect(menu.getByRole("alert")).toContainText("The view wasn't removed.")
  await expect(menu.getByRole("link", { name: "October close" })).toBeVisible()
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("five places stand at the bottom, everything else is behind More", async ({ page }) => {
    await page.goto("/work")
    const menu = navigation(page)
    await saveViews(page, VIEWS)
    await page.reload()
    for (const name of ["Needs You", "Work", "New Work", "Overview"])
      await expect(menu.getByRole("link", { name, exact: true })).toBeInViewport({ ratio: 1 })
    await expect(menu.getByRole("link", { name: "Record" })).toBeHidden()
    await moreButton(page).click()
    for (const name of ["Record", "Notices", "Overdue"])
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

test("views stand below Work, open the list, and are renamed and removed by keyboard", async ({ page, context }) => {
  await page.goto("/work")
  const menu = navigation(page)
  await expect(menu.getByRole("link", { name: "Work", exact: true })).toBeVisible()
  for (const [name, query] of [
    ["Waiting longest", "sort=waiting"],
    ["Overdue", "due=overdue"],
    ["Due this week", "due=week"],
    ["Urgent", "priority=urgent"],
  ] as const)
    await expect(menu.getByRole("link", { name })).toHaveAttribute("href", `/work?${query}`)
  await expect(menu.getByRole("button", { name: /^(Rename|Remove)/ })).toHaveCount(0)

  await saveViews(page, VIEWS)
  await page.reload()
  const close = menu.getByRole("link", { name: "October close" })
  await close.click()
  await expect(page).toHaveURL(/\/work\?q=october&sort=due$/)
  await expect(close).toHaveAttribute("aria-current", "page")
  await expectAccessible(page)

  await menu.getByRole("button", { name: "Rename October close" }).press("Enter")
  const name = page.getByRole("dialog", { name: "Rename view" }).getByRole("textbox", { name: "Name" })
  await expect(name).toBeFocused()
  await name.fill("Overdue")
  await expect(page.getByText("Another view already has this name.")).toBeVisible()
  await expect(page.getByRole("button", { name: "Rename", exact: true })).toBeDisabled()
  await name.fill("November close")
  await expectAccessible(page)
  await name.press("Enter")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await expect(menu.getByRole("link", { name: "November close" })).toBeVisible()

  await menu.getByRole("button", { name: "Remove November close" }).press("Enter")
  await expect(menu.getByRole("link", { name: "November close" })).toHaveCount(0)
  await expect(menu.getByRole("link", { name: "Only the analyst" })).toBeFocused()

  // Another browser of the same person has them, too; opening an address saves nothing.
  const elsewhere = await (await context.browser()?.newContext())?.newPage()
  await elsewhere?.goto(new URL("/work?sort=updated", page.url()).href)
  if (elsewhere === undefined) throw new Error("no other browser")
  await expect(navigation(elsewhere).getByRole("button", { name: /^Remove/ })).toHaveCount(1)
  await elsewhere.context().close()

  await menu.getByRole("button", { name: "Remove Only the analyst" }).press("Enter")
  await expect(menu.getByRole("button", { name: /^Remove/ })).toHaveCount(0)
  await expect(menu.getByRole("link", { name: "Work", exact: true })).toBeFocused()
})

test("a view that two browsers save at the same time is not lost, and a failed read leaves the views in the menu", async ({
  page,
  browser,
  desk,
}) => {
  const elsewhere = await (await browser.newContext({ baseURL: desk.url })).newPage()
  const save = async (of: Page, name: string) => {
    await of.getByRole("button", { name: "Save view" }).click()
    await of.getByRole("textbox", { name: "Name" }).fill(name)
    await of.getByRole("button", { name: "Save", exact: true }).click()
  }
  await elsewhere.goto("/work?sort=due")
  await page.goto("/work?sort=updated")
  const answers: number[] = []
  let isFirst = true
  await page.route("**/desk/views", async (route) => {
    if (route.request().method() === "PUT" && isFirst) {
      isFirst = false
      await save(elsewhere, "From elsewhere")
      await expect(navigation(elsewhere).getByRole("link", { name: "From elsewhere" })).toBeVisible()
    }
    const response = await route.fetch()
    answers.push(response.status())
    await route.fulfill({ response })
  })
  await save(page, "From here")
  for (const name of ["From elsewhere", "From here"])
    await expect(navigation(page).getByRole("link", { name })).toBeVisible()
  expect(answers).toContain(412)
  await elsewhere.context().close()

  await page.unroute("**/desk/views")
  await page.route("**/desk/views", (route) => route.abort())
  await page.reload()
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await expect(navigation(page).getByRole("link", { name: "From elsewhere" })).toBeVisible()
  // The last view is removed: the focus stays in the menu.
  await page.unroute("**/desk/views")
  for (const name of ["From elsewhere", "From here"]) {
    await navigation(page)
      .getByRole("button", { name: `Remove ${name}` })
      .press("Enter")
    await expect(navigation(page).getByRole("link", { name })).toHaveCount(0)
  }
  await expect(navigation(page).getByRole("link", { name: "Work", exact: true })).toBeFocused()
})

test("the focus stays on Remove while the view is being removed, and where that fails", async ({ page }) => {
  await page.goto("/work")
  await saveViews(page, VIEWS)
  await page.reload()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  await page.route("**/desk/views", async (route) => {
    if (route.request().method() !== "PUT") return route.continue()
    await answered
    await route.abort()
  })
  const remove = navigation(page).getByRole("button", { name: "Remove October close" })
  await remove.press("Enter")
  await expect(remove).toBeDisabled()
  await expect(remove).toBeFocused()
  answer()
  await expect(page.getByRole("alert")).toContainText("The view wasn't removed.")
  await expect(remove).toBeEnabled()
  await expect(remove).toBeFocused()
})

test("the buttons of a view with a long name stay within the menu", async ({ page }) => {
  await page.goto("/work")
  await saveViews(page, [{ name: "Every invoice of every supplier in the northern region", query: "q=invoice" }])
  await page.reload()
  const buttons = navigation(page).getByRole("button", { name: /^(Rename|Remove) Every/ })
  await expect(buttons).toHaveCount(2)
  for (const button of await buttons.all()) await expect(button).toBeInViewport({ ratio: 1 })
  const { x = 0, width = 0 } = (await buttons.last().boundingBox()) ?? {}
  expect(x + width).toBeLessThanOrEqual(224)
})
