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

test("a sample that is not to be sent is not sent", async ({ page }) => {
  const sent: string[] = []
  page.on("request", (request) => request.method() === "POST" && sent.push(new URL(request.url()).pathname))
  const problem = { type: "about:blank", title: "Full", status: 503, detail: "", instance: "/", code: "FULL" }
  await page.route("**/api/v1/work", (route) =>
    route.fulfill({
      status: 503,
      headers: { "content-type": "application/problem+json", "retry-after": "60" },
      body: JSON.stringify({ ...problem, request_id: "req_full", retryable: true }),
    }),
  )
  await page.goto("/")
  await page.getByRole("button", { name: "Try it with a sample file" }).click()
  await page.getByRole("button", { name: "Do not send" }).click()
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole("button", { name: "Try it with a sample file" })).toBeEnabled()
  expect(sent).toEqual(["/api/v1/uploads", "/api/v1/work"])
})

test.describe("a sample whose scan takes longer than an upload lives", () => {
  test.use({ deskOptions: { upstream: "embedded", service: { pace: 20, uploadLifetimeSeconds: 1 } } })

  test("is said to have failed, and can be tried again", async ({ page }) => {
    await page.goto("/")
    const button = page.getByRole("button", { name: "Try it with a sample file" })
    await button.click()
    const alert = page.getByRole("main").getByRole("alert")
    await expect(alert).toContainText("The sample did not pass its scan, so no Work was created.")
    await expect(alert).toContainText("expired")
    await expect(button).toBeEnabled()
  })
})
