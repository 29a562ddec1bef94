import { readFile } from "node:fs/promises"
import { entries, log, sequences, status } from "./feed-verbs.ts"
import { createWork, expect, test } from "./fixtures.ts"

test("a burst of events has the Work read again and again, and not for each event", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=50" })
  await page.goto(`/work/${work.id}`)
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
  await page.goto(`/work/${work.id}`)
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
  await page.goto(`/work/${work.id}`)
  await expect(log(page).getByText("Beat 2", { exact: true })).toBeVisible()
  await expect(log(page).getByText("New since you left")).toHaveCount(0)
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await page.goBack()
  await expect(log(page).getByText("New since you left")).toBeVisible()
})

test("a pause keeps counting, and goes on where it was", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=10" })
  await page.goto(`/work/${work.id}`)
  await expect(log(page).getByText("Beat 2", { exact: true })).toBeVisible()
  await page.getByRole("button", { name: "Pause", exact: true }).click()
  const held = await entries(page).first().innerText()
  await expect(status(page)).toHaveText(/^Paused, [1-9]\d* more/)
  expect(await entries(page).first().innerText()).toBe(held)
  await page.getByRole("button", { name: "Resume", exact: true }).click()
  await expect(status(page)).toHaveText(/^Live/)
  await expect.poll(() => entries(page).first().innerText()).not.toBe(held)
})
