import { entries, log, status } from "./feed-verbs.ts"
import { createWork, expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"

test("events appear as they are published, newest first, and link to their subject", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=5", title: "Beats" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(status(page)).toHaveText(/^Live/)
  await expect(log(page).getByText("Beat 3", { exact: true })).toBeVisible()
  const texts = await entries(page).allInnerTexts()
  const sequences = texts.map((text) => Number(/(\d+)\s*$/.exec(text)?.[1]))
  expect(sequences).toEqual([...sequences].sort((a, b) => b - a))
  expect(new Set(sequences).size).toBe(sequences.length)
  expect(sequences.at(-1)).toBe(1)
  expect(texts.at(-1)).toContain("work.created")
  await entries(page).filter({ hasText: "work.created" }).click()
  await expect(log(page)).toContainText('"occurred_at"')
})

test("a restart of the service loses nothing and repeats nothing", async ({ page, desk, relay }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=10" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(log(page).getByText("Beat 5", { exact: true })).toBeVisible()
  relay.cutAll()
  await desk.stopService()
  await expect(status(page)).toHaveText(/^Reconnecting/)
  await desk.startService()
  await expect(status(page)).toHaveText(/^Live/, { timeout: 20_000 })
  await page.getByRole("button", { name: "Pause", exact: true }).click()
  const texts = await entries(page).allInnerTexts()
  const sequences = texts.map((text) => Number(/(\d+)\s*$/.exec(text)?.[1]))
  expect(sequences.length).toBeGreaterThan(5)
  expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) - index))
})

test("what is read does not move when more comes: it waits behind a button", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=40" })
  await page.goto(`/work/${work.id}?activity=raw`)
  // On a busy machine many beats come at once, and of more than 40 rows only the visible rows are in the page.
  await expect(
    log(page)
      .getByText(/^Beat (?:[6-9]\d|\d{3,})$/)
      .first(),
  ).toBeVisible()
  await log(page).evaluate((element) => element.scrollTo(0, 400))
  const unread = page.getByRole("button", { name: /^\d+ new$/ })
  await expect(unread).toBeVisible()
  // The list renders only the visible rows: the entry in the middle of the list is what the person reads.
  const read = await log(page).evaluate((element) => {
    const { left, top, height } = element.getBoundingClientRect()
    return /Beat \d+/.exec(
      document.elementFromPoint(left + 60, top + height / 2)?.closest("summary")?.textContent ?? "",
    )
  })
  const entry = log(page).getByText(read?.[0] ?? "nothing visible", { exact: true })
  const before = await entry.boundingBox()
  const count = Number.parseInt(await unread.innerText(), 10)
  await expect.poll(async () => Number.parseInt(await unread.innerText(), 10)).toBeGreaterThan(count + 20)
  const after = await entry.boundingBox()
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(2)
  await unread.click()
  await expect(unread).toBeHidden()
  expect(await log(page).evaluate((element) => element.scrollTop)).toBe(0)
})

test("the feed is narrowed by type and words, in the address too", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=10" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(log(page).getByText("Beat 12", { exact: true })).toBeVisible()
  await page.getByRole("combobox", { name: "Event type" }).selectOption("work.created")
  await expect(entries(page)).toHaveCount(1)
  await expect(page).toHaveURL(/type=work\.created/)
  await page.getByRole("combobox", { name: "Event type" }).selectOption("")
  await page.getByRole("searchbox", { name: "Find in activity" }).fill('"beat":1,')
  await expect(entries(page)).toHaveCount(1)
  await expect(entries(page)).toContainText("Beat 1")
  await page.reload()
  await expect(page.getByRole("searchbox", { name: "Find in activity" })).toHaveValue('"beat":1,')
  await expect(entries(page)).toHaveCount(1)
})

test("it can be used with the keyboard, and is accessible", async ({ page, desk }) => {
  const work = await createWork(desk, { colleague_id: "metronome", objective: "rate=5" })
  await page.goto(`/work/${work.id}?activity=raw`)
  await expect(log(page).getByText("Beat 2", { exact: true })).toBeVisible()
  await page.getByRole("button", { name: "Pause", exact: true }).focus()
  await page.keyboard.press("Enter")
  await expect(status(page)).toHaveText(/^Paused/)
  await entries(page).first().locator("summary").focus()
  await page.keyboard.press("Enter")
  await expect(entries(page).first()).toContainText('"message": "Beat')
  await expectAccessibleInLightAndDark(page)
})
