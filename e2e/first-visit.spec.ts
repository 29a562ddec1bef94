import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "embedded", service: { pace: 0.1 } } })

test("a first visit is offered a sample: one click delegates real Work and leads to it", async ({ page }) => {
  await page.goto("/")
  await page.getByRole("button", { name: "Try it with a sample file" }).dblclick()
  await expect(page.getByRole("heading", { level: 1, name: "Twelve days of café orders" })).toBeVisible()
  await expect(page.getByRole("region", { name: "Activity" }).getByRole("log")).toContainText("cafe-orders.csv")
  await expect(
    page.getByRole("region", { name: "Needs You" }).getByRole("textbox", { name: "Your answer" }),
  ).toBeVisible()

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Work", exact: true }).click()
  await expect(page.getByRole("link", { name: /Twelve days of café orders/ })).toHaveCount(1)
  await expect(page.getByRole("button", { name: "Try it with a sample file" })).toHaveCount(0)
})
