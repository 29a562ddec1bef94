import { expect, test } from "./fixtures.ts"
import { arrived, colleagueChoice, create, row } from "./new-work-verbs.ts"

test.use({ deskOptions: { upstream: "embedded", service: { pace: 0.1 } } })

test("a first visit is offered a sample: a filled form, from which one click delegates real Work", async ({ page }) => {
  await page.goto("/")
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Work", exact: true }).click()
  await page.getByRole("link", { name: "Try it with a sample file" }).click()
  await expect(colleagueChoice(page, "analyst")).toBeChecked()
  await expect(page.getByLabel("Objective")).toHaveValue(/send the summary to owner@cafe\.example/)
  await expect(row(page, "cafe-orders.csv").getByText("Ready")).toBeVisible()
  await create(page).click()
  await arrived(page)
  await expect(page.getByRole("heading", { level: 1, name: "Twelve days of café orders" })).toBeVisible()
  const activity = page.getByRole("region", { name: "Activity" })
  await activity.getByRole("link", { name: "Raw" }).click()
  await expect(activity.getByRole("log")).toContainText("cafe-orders.csv")
  await expect(
    page.getByRole("region", { name: "Needs You" }).getByRole("textbox", { name: "Your answer" }),
  ).toBeVisible()

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Work", exact: true }).click()
  await expect(page.getByRole("link", { name: /Twelve days of café orders/ })).toHaveCount(1)
  await expect(page.getByRole("link", { name: "Try it with a sample file" })).toHaveCount(0)
})

test("the sample replaces a draft only where the person wants it", async ({ page }) => {
  await page.goto("/work/new")
  await page.getByLabel("Objective").fill("Mine")
  await page.goto("/work/new?sample")
  await expect(page.getByText(/You already have a draft/)).toBeVisible()
  await page.getByRole("button", { name: "Keep the draft" }).click()
  await expect(page.getByLabel("Objective")).toHaveValue("Mine")
  await expect(row(page, "cafe-orders.csv")).toHaveCount(0)
  await page.goto("/work/new?sample")
  await page.getByRole("button", { name: "Replace the draft" }).click()
  await expect(page.getByLabel("Title")).toHaveValue("Twelve days of café orders")
  await expect(row(page, "cafe-orders.csv")).toHaveCount(1)
})
