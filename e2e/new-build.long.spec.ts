import type { Page } from "@playwright/test"
import { createWork, expect, test } from "./fixtures.ts"

const reload = (page: Page) => page.getByRole("button", { name: "Reload", exact: true })

test("a new build is noticed within a minute, without a reload, and nothing typed is lost", async ({ page }) => {
  let upgraded = false
  await page.route("**/desk/session", async (route) => {
    const response = await route.fetch()
    const session: object = await response.json()
    await route.fulfill({ response, json: { ...session, ...(upgraded && { build: "another" }) } })
  })
  await page.clock.install()
  await page.goto("/work/new")
  await page.getByLabel("Objective").fill("Half a sentence")
  await page.clock.fastForward(59_000)
  await expect(page.getByRole("heading", { level: 1, name: "New Work" })).toBeVisible()
  await expect(reload(page)).toHaveCount(0)
  upgraded = true
  await page.clock.fastForward(59_000)
  await expect(page.getByRole("status").filter({ hasText: "A new version of Workdesk" })).toBeVisible()
  page.on("request", (request) => {
    if (request.isNavigationRequest()) upgraded = false
  })
  await reload(page).click()
  await expect(reload(page)).toHaveCount(0)
  await expect(page.getByLabel("Objective")).toHaveValue("Half a sentence")
})

test("a page knows its build from its own answer, also where the browser had the page already", async ({ page }) => {
  const builds = () =>
    page.evaluate(async () => {
      const [navigation] = performance.getEntriesByType("navigation")
      const session: { build: string } = await (await fetch("/desk/session")).json()
      if (!(navigation instanceof PerformanceNavigationTiming)) throw new Error("no navigation")
      return [navigation.serverTiming[0]?.description, session.build]
    })
  await page.goto("/work")
  for (let visit = 0; visit < 2; visit++) {
    const [own, served] = await builds()
    expect(own).toBe(served)
    expect(own).toMatch(/^[\w-]{22}$/)
    await page.reload()
  }
})

test("a mark of a row that cannot be loaded costs only itself", async ({ page, desk, complaints }) => {
  await createWork(desk, { colleague_id: "metronome", title: "pаypal", objective: "rate=0.001" })
  const laterFile = /\/assets\/(?!index-).*\.js$/
  const gone = page.waitForRequest(laterFile)
  await page.route(laterFile, (route) => route.fulfill({ status: 404 }))
  await page.goto("/work")
  await gone
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1)
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await expect(page.getByRole("alert")).toHaveCount(0)
  complaints.splice(0)
})

test("ages come from the desk's clock", async ({ page, desk }) => {
  await createWork(desk, { colleague_id: "metronome", objective: "rate=0.001", title: "Made just now" })
  await page.clock.install({ time: Date.now() - 5 * 60_000 })
  await page.goto("/work")
  const row = page.getByRole("link", { name: /Made just now/ })
  await expect(row).toContainText(/now|\d+ s/)
  await expect(row).not.toContainText(/in \d/)
})
