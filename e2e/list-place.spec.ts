import { expect, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"

for (const [device, width] of [
  ["a desk", 1440],
  ["a phone", 390],
] as const) {
  test(`the inbox of ${device} comes back where it was, after Back and after a reload`, async ({ page, desk }) => {
    await page.setViewportSize({ width, height: 844 })
    const others = await createQuietWork(desk, "Letters to everybody else")
    for (let count = 1; count < 120; count++) addApproval(desk, others.id, { summary: `Request ${count}.` })
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { summary: "Request 120." })
    await page.goto("/approvals")
    const row = (count: number) => page.getByRole("main").getByRole("link", { name: `Request ${count}.` })
    const last = row(120)
    await row(1).hover()
    await expect(async () => {
      await page.mouse.wheel(0, 3_000)
      await expect(last).toBeInViewport({ timeout: 100 })
    }).toPass()
    await page.reload()
    await expect(last).toBeInViewport()

    await last.click()
    await page.locator("[data-pane]").getByRole("link", { name: work.title, exact: true }).click()
    await expect(page.getByRole("heading", { level: 1, name: work.title })).toBeVisible()
    await page.goBack()
    await expect(page.getByRole("article").getByRole("heading", { name: "Request 120." })).toBeVisible()
    if (device === "a desk") {
      await expect(last).toBeInViewport()
      await page.reload()
      await expect(last).toBeInViewport()
    }
    await page.goBack()
    await expect(last).toBeInViewport()
  })
}
