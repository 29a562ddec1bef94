import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { filterBy } from "./filter-verbs.ts"
import { createFour, expectOverview, rows } from "./glance-verbs.ts"

const choose = (page: Page, name: string, option: string) =>
  page.getByRole("combobox", { name, exact: true }).selectOption(option)

test("sorts, groups, filters and searches all open Work by the address, and says how much that is", async ({
  page,
  desk,
}) => {
  await createFour(desk)
  await page.goto("/work")
  await expect(page.getByText("4 open", { exact: true })).toBeVisible()
  await expect(rows(page)).toHaveText([/Asks/, /Someday/, /Soon/, /Late/])
  await expectAccessible(page)

  await choose(page, "Sort", "Due")
  await expect(page).toHaveURL(/\/work\?sort=due$/)
  await expect(rows(page)).toHaveText([/Late/, /Soon/, /Asks/, /Someday/])
  await choose(page, "Sort", "Priority")
  await expect(rows(page)).toHaveText([/Late/, /Asks/, /Someday/, /Soon/])

  await choose(page, "Group", "Colleague")
  await expect(page.getByRole("list", { name: "Work" }).getByRole("heading")).toHaveText(["editor", "metronome"])
  await filterBy(page, "Colleague", "metronome")
  await expect(page.getByText("3 of 4 open")).toBeVisible()
  await filterBy(page, "Due", "Overdue")
  await expect(page.getByText("1 of 4 open")).toBeVisible()
  await expect(rows(page)).toHaveText([/Late/])
  await page.reload()
  await expect(rows(page)).toHaveText([/Late/])
  await expect(page.getByRole("button", { name: "Filter 2" })).toBeVisible()
  await page.getByRole("button", { name: "Remove filter: Due Overdue" }).click()
  await expect(page).toHaveURL(/\/work\?colleague=metronome&sort=priority&group=colleague$/)
  await expect(rows(page)).toHaveCount(3)

  await page.goto("/work?q=resume")
  await expect(rows(page)).toHaveText([/Someday/])
  await page.goto("/work?priority=low&due=week&sort=nonsense")
  await expect(rows(page)).toHaveText([/Soon/])
  await filterBy(page, "Priority", "Urgent")
  await expect(page.getByRole("heading", { name: "No Work matches" })).toBeVisible()
  await page.getByRole("link", { name: "Clear filters" }).click()
  await expect(rows(page)).toHaveCount(4)
})

test.describe("on a phone in the dark", () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })

  test("the overview shows what waits, what is due and who works on it, as plots and as tables", ({ page, desk }) =>
    expectOverview(page, desk))
})
