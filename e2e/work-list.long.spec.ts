import { expect, expectAccessible, test } from "./fixtures.ts"
import { createMany, row, rows } from "./work-list-verbs.ts"

test.describe("with much Work", () => {
  test.use({ deskOptions: { service: { limits: { activeWork: 1000 } } } })
  test("loses and repeats nothing over many pages while Work is created, and keeps the page small", async ({
    page,
    desk,
  }) => {
    const titles = await createMany(desk, 130)
    await page.goto("/work")
    await expect(rows(page).first()).toBeVisible()
    const seen = new Set<string>()
    let largest = 0
    const collect = async () => {
      const texts = await rows(page).allInnerTexts()
      largest = Math.max(largest, texts.length)
      const inRow = texts.map((text) => /Bulk \d{4}/.exec(text)?.[0] ?? "")
      expect(new Set(inRow).size, "no row stands twice").toBe(inRow.length)
      for (const title of inRow) seen.add(title)
    }
    const creating = createMany(desk, 20, "Meanwhile")
    await expect(async () => {
      await page.mouse.wheel(0, 700)
      await collect()
      expect(await page.getByText("All 130 are shown").count()).toBe(1)
      expect(await page.evaluate(() => innerHeight + scrollY >= document.body.scrollHeight - 2)).toBe(true)
    }).toPass({ intervals: [30], timeout: 50_000 })
    await creating
    expect(titles.filter((title) => !seen.has(title))).toEqual([])
    expect(largest, "rows in the page at once").toBeLessThanOrEqual(100)

    await expect(page.getByRole("button", { name: "20 new" })).toBeVisible({ timeout: 60_000 })
    await page.getByRole("button", { name: "20 new" }).click()
    await expect(rows(page).first()).toContainText("Meanwhile 00")
  })
})

test("shows a long list at the place where it was left", async ({ page, desk }) => {
  await createMany(desk, 120)
  await page.goto("/work")
  await expect(rows(page).first()).toBeVisible()
  await expect(async () => {
    await page.mouse.wheel(0, 900)
    await expect(page.getByText("All 120 are shown")).toBeInViewport({ timeout: 50 })
  }).toPass({ intervals: [30], timeout: 30_000 })
  await page.evaluate(() => scrollTo(0, 5000))
  const titleInTheMiddle = () =>
    page.evaluate(() => {
      const link = document.elementFromPoint(700, 450)?.closest("a")
      return /Bulk \d{4}/.exec(link?.innerText ?? "")?.[0] ?? ""
    })
  await expect.poll(titleInTheMiddle).not.toBe("")
  const target = await titleInTheMiddle()
  const before = await page.evaluate(() => scrollY)
  await row(page, target).click()
  await expect(page.getByRole("heading", { level: 1, name: target })).toBeVisible()
  expect(await page.evaluate(() => scrollY)).toBe(0)
  await page.goBack()
  await expect(row(page, target)).toBeInViewport()
  expect(Math.abs((await page.evaluate(() => scrollY)) - before)).toBeLessThan(60)
})

test("keeps the list and says when it asks again after a 429", async ({ page, desk }) => {
  await createMany(desk, 3)
  await page.goto("/work")
  await expect(rows(page)).toHaveCount(3)
  await desk.configure({ limits: { readPerMinute: 6 } })
  await expect(async () => {
    await page.getByRole("button", { name: "Refresh" }).click()
    await expect(page.getByRole("alert")).toBeVisible({ timeout: 500 })
  }).toPass({ timeout: 20_000 })
  const alert = page.getByRole("alert")
  await expect(alert).toContainText("Request ID")
  await expect(alert).toContainText(/tries again by itself in \d+ s/)
  await expect(rows(page)).toHaveCount(3)
  await expectAccessible(page)
  await desk.configure({})
  await expect(alert).toHaveCount(0, { timeout: 30_000 })
})
