import { expect, expectAccessible, test } from "./fixtures.ts"
import { addDecisions, createAsPerson, entries, exportRecord, goToTheBeginning, readsOf } from "./record-verbs.ts"

test("loads to the beginning, and exports the whole record as JSON Lines", async ({ page }) => {
  await page.goto("/approvals?decided")
  await expect(page).toHaveURL(/\/record$/)
  await expect(page.getByRole("heading", { level: 2, name: "The record is empty" })).toBeVisible()
  for (let count = 0; count < 60; count++) await createAsPerson(page, `Work ${count}`, "metronome")
  await page.reload()
  await expect(entries(page).first()).toContainText("created Work")
  await entries(page).last().scrollIntoViewIfNeeded()
  await expect(entries(page)).toHaveCount(60)
  await page.mouse.wheel(0, 20_000)
  await expect(page.getByText("This is the beginning of the record.")).toBeVisible()

  const lines = await exportRecord(page)
  expect(lines).toHaveLength(60)
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ operation: "createWork", outcome: "recorded" })
})

test("10,000 entries are read once, and the page stays as small as with one page", async ({ page, desk }) => {
  test.setTimeout(180_000)
  await addDecisions(desk, 10_000)
  const reads = readsOf(page)
  await page.goto("/record")
  await expect(entries(page)).toHaveCount(50)
  await goToTheBeginning(page)
  await expect(entries(page).last()).toContainText("Letter 0")
  await expect(entries(page).last()).toHaveAttribute("aria-setsize", "10000")
  expect(await entries(page).count()).toBeLessThan(60)
  expect(reads).toHaveLength(200)
  await page.getByRole("button", { name: "Refresh" }).click()
  await expect.poll(() => reads.length).toBe(201)
  await expect(entries(page).last()).toHaveAttribute("aria-setsize", "10000")
})

test("an export may take long while it goes on, and one that stands still or breaks is an alert", async ({ page }) => {
  await page.clock.install()
  // A connection that the test feeds, because no test can wait for a desk that takes minutes.
  await page.addInitScript(() => {
    const send = window.fetch.bind(window)
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined
    addEventListener("feed", () => stream?.enqueue(new TextEncoder().encode("{}\n")))
    addEventListener("end-feed", () => stream?.close())
    addEventListener("break-feed", () => stream?.error(new TypeError("broken")))
    window.fetch = async (input, init) => {
      const asked = new Request(input, init)
      if (asked.headers.get("accept") !== "application/jsonl") return send(asked)
      const body = new ReadableStream<Uint8Array>({ start: (begun) => void (stream = begun) })
      return new Response(body, { headers: { "content-type": "application/jsonl" } })
    }
  })
  await page.goto("/record")
  const button = page.getByRole("button", { name: "Export JSON Lines" })
  const tell = (name: string) => page.evaluate((name) => dispatchEvent(new Event(name)), name)
  const saved = page.waitForEvent("download")
  await button.click()
  for (let count = 0; count < 4; count++) {
    await tell("feed")
    await page.clock.fastForward(25_000)
  }
  await tell("end-feed")
  await saved

  const alert = page.getByRole("alert")
  await button.click()
  await tell("feed")
  await page.clock.fastForward(31_000)
  await expect(alert).toContainText("No answer in time")
  await button.click()
  await expect(alert).toHaveCount(0)
  await tell("break-feed")
  await expect(alert).toContainText("No answer")
  await expect(button).toBeEnabled()
})

test("says when the record cannot be read, and reads it when the network is back", async ({ page, context }) => {
  await page.goto("/record")
  await expect(page.getByRole("heading", { level: 2, name: "The record is empty" })).toBeVisible()
  await page.getByLabel("Outcome").selectOption("refused")
  await expect(page.getByRole("heading", { level: 2, name: "No entry matches" })).toBeVisible()
  await context.setOffline(true)
  await page.getByLabel("Outcome").selectOption("unknown")
  await expect(page.getByRole("alert")).toContainText("No answer")
  await context.setOffline(false)
  await expect(page.getByRole("alert")).toHaveCount(0, { timeout: 20_000 })
  await expect(page.getByRole("heading", { level: 2, name: "No entry matches" })).toBeVisible()
})

test.describe("on a phone in the dark", () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })

  test("is accessible", async ({ page }) => {
    await page.goto("/record")
    await expect(page.getByRole("heading", { level: 2, name: "The record is empty" })).toBeVisible()
    await createAsPerson(page, "A Work with a long title that does not fit into a line of a phone")
    await page.reload()
    await expect(entries(page)).toHaveCount(1)
    await entries(page).locator("summary").press("Enter")
    await expect(entries(page).getByText("createWork")).toBeVisible()
    await expectAccessible(page)
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
