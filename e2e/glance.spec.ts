import type { Page } from "@playwright/test"
import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { createFour, expectOverview } from "./glance-verbs.ts"
import { answerByApi } from "./inbox-verbs.ts"

const rows = (page: Page) => page.getByRole("list", { name: "Work" }).getByRole("link")
const choose = (page: Page, name: string, option: string) =>
  page.getByRole("combobox", { name, exact: true }).selectOption(option)

test("sorts, groups, filters and searches all open Work by the address, and says how much that is", async ({
  page,
  desk,
}) => {
  await createFour(desk)
  await page.goto("/work")
  await expect(page.getByText("All 4 open Works")).toBeVisible()
  await expect(rows(page)).toHaveText([/Asks/, /Someday/, /Soon/, /Late/])
  await expectAccessible(page)

  await choose(page, "Sort", "Due")
  await expect(page).toHaveURL(/\/work\?sort=due$/)
  await expect(rows(page)).toHaveText([/Late/, /Soon/, /Asks/, /Someday/])
  await choose(page, "Sort", "Priority")
  await expect(rows(page)).toHaveText([/Late/, /Asks/, /Someday/, /Soon/])

  await choose(page, "Group", "Colleague")
  await expect(page.getByRole("list", { name: "Work" }).getByRole("heading")).toHaveText(["editor", "metronome"])
  await choose(page, "Colleague", "metronome")
  await expect(page.getByText("3 of all 4 open Works")).toBeVisible()
  await choose(page, "Due", "Overdue")
  await expect(page.getByText("1 of all 4 open Works")).toBeVisible()
  await expect(rows(page)).toHaveText([/Late/])
  await page.reload()
  await expect(rows(page)).toHaveText([/Late/])

  await page.goto("/work?q=resume")
  await expect(rows(page)).toHaveText([/Someday/])
  await page.goto("/work?priority=low&due=week&sort=nonsense")
  await expect(rows(page)).toHaveText([/Soon/])
  await choose(page, "Priority", "Urgent")
  await expect(page.getByRole("heading", { name: "No Work matches" })).toBeVisible()
  await page.getByRole("link", { name: "Clear filters" }).click()
  await expect(rows(page)).toHaveCount(4)
})

test("done Work stands after the open, and the page says how much of it is loaded", async ({ page, desk }) => {
  const done = await createWork(desk, { colleague_id: "editor", title: "Finished first" })
  await createWork(desk, { colleague_id: "metronome", title: "Goes on" })
  await answerByApi(desk, done.id, "Finish")
  await expect
    .poll(async () => (await desk.api.GET("/api/v1/work/{id}", { params: { path: { id: done.id } } })).data?.status, {
      timeout: 30_000,
    })
    .toBe("done")
  await createWork(desk, { colleague_id: "metronome", title: "Newest" })
  await page.goto("/work")
  await expect(rows(page)).toHaveText([/Newest/, /Goes on/, /Finished first/])
  await expect(page.getByText("All 2 open Works")).toBeVisible()
  await page.goto("/work?status=done")
  await expect(page.getByText("In the 1 loaded")).toBeVisible()
})

test("an empty desk says so in a few words, without plots of nothing and without more to load", async ({ page }) => {
  await page.goto("/overview")
  await expect(page.getByText("Nothing is waiting for you.")).toBeVisible()
  await expect(page.getByRole("figure", { name: "Due" })).toHaveAccessibleDescription("No Work is due")
  await expect(page.getByRole("figure").locator("svg")).toHaveCount(0)
  await page.goto("/work")
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
  await expect(page.getByText("No open Work", { exact: true })).toBeVisible()
  await expect(page.getByRole("button", { name: /more/i })).toHaveCount(0)
  await page.goto("/work?due=overdue")
  await expect(page.getByRole("heading", { name: "No Work matches" })).toBeVisible()
  await expect(page.getByRole("button", { name: /more/i })).toHaveCount(0)
})

test("saves the present list as a view", async ({ page, desk }) => {
  await createFour(desk)
  await page.goto("/work?sort=due&priority=high")
  await page.getByRole("button", { name: "Save view" }).click()
  const dialog = page.getByRole("dialog", { name: "Save view" })
  await expect(dialog.getByRole("textbox", { name: "Name" })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type("October close")
  await page.keyboard.press("Enter")
  await expect(dialog).toHaveCount(0)
  const views = await page.evaluate(async () => (await fetch("/desk/views")).json())
  expect(views).toEqual({ views: [{ name: "October close", query: "priority=high&sort=due" }] })
})

test.describe("on a phone in the dark", () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })

  test("the overview shows what waits, what is due and who works on it, as plots and as tables", ({ page, desk }) =>
    expectOverview(page, desk))
})
