import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { createFour, expectOverview, rows, saveViews, VIEWS } from "./glance-verbs.ts"
import { navigation, signInAs, signOut } from "./people-verbs.ts"

test.describe("on a desk", () => {
  test("the overview shows what waits, what is due and who works on it, as plots and as tables", ({ page, desk }) =>
    expectOverview(page, desk))
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("views belong to the person", async ({ page }) => {
    await signInAs(page, "Ben Okafor")
    await saveViews(page, VIEWS)
    await page.reload()
    await expect(navigation(page).getByRole("link", { name: "October close" })).toBeVisible()
    await signOut(page, "Ben Okafor")
    await signInAs(page, "Ada Lovelace")
    await expect(navigation(page).getByRole("link", { name: "Urgent" })).toBeVisible()
    await expect(navigation(page).getByRole("link", { name: "October close" })).toHaveCount(0)
  })
})

test("done Work stands after the open, and the page says how much of it is loaded", async ({ page, desk }) => {
  const done = await createWork(desk, { colleague_id: "editor", title: "Finished first" })
  await createWork(desk, { colleague_id: "metronome", title: "Goes on" })
  await desk.owner.answer(done.id, "Finish")
  await desk.owner.waitForStatus(done.id, "done")
  await createWork(desk, { colleague_id: "metronome", title: "Newest" })
  await page.goto("/work")
  await expect(rows(page)).toHaveText([/Newest/, /Goes on/, /Finished first/])
  await expect(page.getByText("2 open, 1 done")).toBeVisible()
  await page.goto("/work?status=done")
  await expect(page.getByText("1 done", { exact: true })).toBeVisible()
})

test("an empty desk says so in a few words, without plots of nothing and without more to load", async ({ page }) => {
  await page.goto("/overview")
  await expect(page.getByText("Nothing needs you.")).toBeVisible()
  await expect(page.getByRole("figure", { name: "Due" })).toHaveAccessibleDescription("No Work is due")
  await expect(page.getByRole("figure").locator("svg")).toHaveCount(0)
  await page.goto("/work")
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
  await expect(page.getByRole("navigation", { name: "Status" })).toHaveCount(0)
  await expect(page.getByRole("main").getByRole("button", { name: /more/i })).toHaveCount(0)
  await page.goto("/work?due=overdue")
  await expect(page.getByRole("heading", { name: "No Work matches" })).toBeVisible()
  await expect(page.getByRole("main").getByRole("button", { name: /more/i })).toHaveCount(0)
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
  expect(views).toMatchObject({ views: [{ name: "October close", query: "priority=high&sort=due" }] })
})
