import { expect, expectAccessible, test } from "./fixtures.ts"
import { saveViews, VIEWS } from "./glance-verbs.ts"
import { navigation } from "./people-verbs.ts"

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
  await expect(page.getByText("Another view has this name.")).toBeVisible()
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
