import { readFile } from "node:fs/promises"
import { entries, entry, events, log, sequences, serve, status, WORK } from "./feed-verbs.ts"
import { createWork, expect, test } from "./fixtures.ts"

test("a burst of events has the Work read again and again, and not for each event", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=50" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(status(page)).toHaveText(/^Live/)
  let reads = 0
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === `/api/v1/work/${work.id}`) reads += 1
  })
  const newest = async () => Number((await sequences(page))[0])
  const before = await newest()
  await expect.poll(() => reads).toBeGreaterThanOrEqual(5)
  // About fifty events come between two reads.
  expect((await newest()) - before).toBeGreaterThan(10 * 5)
})

test("an address leads to an event", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=200" })
  await page.goto(`/work/${work.id}?event=4`)
  const named = entries(page).and(page.locator('[aria-current="true"]'))
  await expect(named).toBeInViewport()
  await expect(named).toContainText("Beat 2")
  await expect(named).toContainText('"message": "Beat 2"')
  await expect(named.getByRole("link", { name: "Link to this event" })).toHaveAttribute("href", /event=4/)
})

test("the activity is exported as JSON Lines", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=20" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(log(page).getByText("Beat 5", { exact: true })).toBeVisible()
  const downloading = page.waitForEvent("download")
  await page.getByRole("button", { name: "Export activity as JSON Lines" }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/\.jsonl$/)
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\n")
  const exported = lines.map((line): unknown => JSON.parse(line))
  expect(exported.length).toBeGreaterThanOrEqual(6)
  expect(exported).toEqual(
    exported.map((_, index) => expect.objectContaining({ id: String(index + 1), data: expect.any(Object) })),
  )
})

test("events that came while the Work was not open are above a mark", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=5" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(log(page).getByText("Beat 2", { exact: true })).toBeVisible()
  await expect(log(page).getByText("New since you left")).toHaveCount(0)
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await page.goBack()
  await expect(log(page).getByText("New since you left")).toBeVisible()
})

test("a pause keeps counting, and goes on where it was", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=10" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(log(page).getByText("Beat 2", { exact: true })).toBeVisible()
  await page.getByRole("button", { name: "Pause", exact: true }).click()
  const held = await entries(page).first().innerText()
  await expect(status(page)).toHaveText(/^Paused, [1-9]\d* new/)
  expect(await entries(page).first().innerText()).toBe(held)
  await page.getByRole("button", { name: "Resume", exact: true }).click()
  await expect(status(page)).toHaveText(/^Live/)
  await expect.poll(() => entries(page).first().innerText()).not.toBe(held)
})

test.describe("thousands of events", () => {
  test.use({ deskOptions: { upstream: "events" } })

  test("can be scrolled to the first, and an address leads to any of them", async ({ page, eventUpstream }) => {
    serve(eventUpstream, events(3_000))
    await page.goto(WORK)
    await expect(entry(page, "Step 3000")).toBeVisible()
    const height = await log(page).evaluate((element) => element.scrollHeight)
    await log(page).evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect(entry(page, /^Step 1 /)).toBeInViewport()
    expect(await log(page).evaluate((element) => element.scrollHeight)).toBe(height)
    await log(page).evaluate((element) => element.scrollTo(0, 0))
    await expect(entry(page, "Step 3000")).toBeInViewport()
    await page.goto(`${WORK}&event=1000`)
    await expect(entry(page, "Step 1000")).toBeInViewport()
    await expect(entries(page).and(page.locator('[aria-current="true"]'))).toContainText('"message": "Step 1000"')
  })
})

test("while the feed is paused a screen reader announces nothing, and then one number", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=20" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(log(page).getByText("Beat 2", { exact: true })).toBeVisible()
  await page.getByRole("button", { name: "Pause", exact: true }).click()
  await expect(status(page)).toHaveText(/^Paused/)
  await page.evaluate(() => {
    const spoken: string[] = []
    Object.assign(globalThis, { spoken })
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement
        // What a live region within another is says how its own text is announced (WAI-ARIA, aria-live).
        const region = element?.closest("[aria-live], [role=status], output, [role=timer]")
        if (region && region.getAttribute("aria-live") !== "off" && !region.matches("[role=timer]"))
          spoken.push(region.textContent)
      }
    }).observe(document.getElementById("activity") ?? document, { subtree: true, childList: true, characterData: true })
  })
  const spoken = () => page.evaluate(() => Reflect.get(globalThis, "spoken") as string[])
  await expect(status(page)).toHaveText(/^Paused, (?:9\d|\d{3,}) new/)
  expect(await spoken()).toEqual([])
  const resume = page.getByRole("button", { name: "Resume", exact: true })
  // A button that says another thing after each click has no state besides.
  expect(await resume.getAttribute("aria-pressed")).toBeNull()
  await resume.click()
  await expect.poll(async () => (await spoken()).some((text) => /^\d+ new events$/.test(text))).toBe(true)
})
