import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { moreButton } from "./people-verbs.ts"
import { addQuietWorks, retitle } from "./revise.ts"
import { createMany, quiet, row, rows } from "./work-list-verbs.ts"
import { createAsPerson } from "./record-verbs.ts"

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
    // A list that nobody has touched follows what is new.
    await page.mouse.wheel(0, 700)
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0)
    const creating = createMany(desk, 20, "Meanwhile")
    await expect(async () => {
      await page.mouse.wheel(0, 700)
      await collect()
      expect(await page.getByText("All 130 shown").count()).toBe(1)
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

test("reads again the rows that a person sees far down in a long list", async ({ page, desk }) => {
  const id = addQuietWorks(desk, 620)[3] ?? ""
  retitle(desk, id, "Far down")
  await page.goto("/work")
  await expect(rows(page).first()).toBeVisible()
  await expect(async () => {
    await page.mouse.wheel(0, 5_000)
    await expect(row(page, "Far down")).toBeInViewport({ timeout: 50 })
  }).toPass({ intervals: [30], timeout: 50_000 })
  retitle(desk, id, "Another title")
  await expect(row(page, "Another title")).toBeInViewport({ timeout: 30_000 })
})

test("keeps the rows of a list that is scrolled before the first answer of its visit comes", async ({ page, desk }) => {
  await createMany(desk, 30)
  await page.clock.install()
  await page.goto("/work")
  await expect(rows(page)).toHaveCount(30)
  const menu = page.getByRole("navigation", { name: "Main" })
  await menu.getByRole("link", { name: "Overview" }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  await page.route("**/desk/work?*", async (route) => {
    await held
    await route.continue()
  })
  await page.clock.fastForward(2_000)
  await menu.getByRole("link", { name: "Work", exact: true }).click()
  await expect(rows(page)).toHaveCount(30)
  await page.mouse.move(700, 400)
  await page.mouse.wheel(0, 300)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0)
  await createWork(desk, quiet("Meanwhile"))
  answer()
  await expect(page.getByRole("button", { name: "1 new" })).toBeVisible()
  await expect(rows(page)).toHaveCount(30)
})

test("the focus stays in a list that grows by a page", async ({ page, desk }) => {
  await createMany(desk, 130)
  await page.goto("/work")
  await expect(rows(page)).toHaveCount(100)
  await rows(page).nth(3).focus()
  const title = /Bulk \d{4}/.exec(await rows(page).nth(3).innerText())?.[0] ?? ""
  await page.mouse.wheel(0, 20_000)
  await expect(page.getByText("All 130 shown")).toBeAttached()
  await expect(row(page, title)).toBeFocused()
})

test("shows a long list at the place where it was left", async ({ page, desk }) => {
  await createMany(desk, 120)
  await page.goto("/work")
  await expect(rows(page).first()).toBeVisible()
  await expect(async () => {
    await page.mouse.wheel(0, 900)
    await expect(page.getByText("All 120 shown")).toBeInViewport({ timeout: 50 })
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
  await expect(alert).toContainText(/will try again in \d+ s/)
  await expect(rows(page)).toHaveCount(3)
  await expectAccessible(page)
  await desk.configure({})
  await expect(alert).toHaveCount(0, { timeout: 30_000 })
})

test("goes by keyboard alone, and finds scroll and selection again on the way back", async ({ page, desk }) => {
  await createMany(desk, 30)
  await page.goto("/work")
  await expect(rows(page)).toHaveCount(30)
  for (let index = 0; index < 20; index++) await page.keyboard.press("j")
  await page.keyboard.press("k")
  const selected = rows(page).nth(18)
  await expect(selected).toBeFocused()
  await expect(selected).toBeInViewport({ ratio: 1 })
  await page.keyboard.press("ArrowDown")
  await expect(rows(page).nth(19)).toBeFocused()
  await page.keyboard.press("ArrowUp")
  const before = await page.evaluate(() => scrollY)
  const title = /Bulk \d{4}/.exec(await selected.innerText())?.[0] ?? ""
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL(/\/work\/[^/?]+$/)
  await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible()
  await page.goBack()
  await expect(row(page, title)).toBeFocused()
  expect(Math.abs((await page.evaluate(() => scrollY)) - before)).toBeLessThan(3)

  await page.keyboard.press("/")
  const find = page.getByRole("searchbox", { name: "Find" })
  await expect(find).toBeFocused()
  await page.keyboard.type("jk?/")
  await expect(find).toHaveValue("jk?/")
  await page.keyboard.press("Escape")
  await expect(find).toHaveValue("")
})

test.describe("on a phone in the dark", () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })

  test("is accessible", async ({ page, desk }) => {
    await createWork(desk, { ...quiet("Late p\u0430per"), priority: "high", due_at: "2020-02-03T10:00:00Z" })
    await createWork(desk, { colleague_id: "editor", title: "Asks" })
    await page.goto("/work")
    await expect(rows(page)).toHaveCount(2)
    await expectAccessible(page)
    const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(width, "nothing stands out at the side").toBeLessThanOrEqual(0)
    await moreButton(page).click()
    for (const theme of ["light", "dark", "system"]) {
      await page.getByRole("button", { name: /^Theme:/ }).click()
      await expect(page.getByRole("button", { name: new RegExp(`^Theme: ${theme}`) })).toBeVisible()
      // The theme of the system was looked at before.
      if (theme !== "system") await expectAccessible(page)
    }
  })
})

test("leaves room for the titles in the list and in the record, beside the menu of a narrow window", async ({
  page,
  desk,
}) => {
  const title = "Reconcile the invoices of October"
  await createWork(desk, { title, priority: "urgent", due_at: "2026-01-01T00:00:00Z" })
  await page.goto("/record")
  await createAsPerson(page, title, "metronome")
  for (const address of ["/work", "/record"]) {
    for (const width of [721, 900, 1100]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(address)
      const words = page.getByRole("main").getByText(title, { exact: true }).first()
      await expect(words).toBeVisible()
      const isCut = await words.evaluate((element) => {
        const box = element.closest("[class*=title]") ?? element
        return box.scrollWidth > box.clientWidth
      })
      expect([address, width, isCut]).toEqual([address, width, false])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
  }
})

test("shows that the network failed, and recovers by itself", async ({ page, desk }) => {
  await createMany(desk, 2)
  await desk.stopService()
  await page.goto("/work")
  const alert = page.getByRole("main").getByRole("alert")
  await expect(alert).toContainText("Request ID")
  await desk.startService()
  await expect(rows(page)).toHaveCount(2, { timeout: 30_000 })
  await expect(alert).toHaveCount(0)
})
