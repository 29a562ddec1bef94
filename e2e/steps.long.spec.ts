import type { Page } from "@playwright/test"
import { frame } from "./event-upstream.ts"
import { activity, events, log, sequences, serve, status } from "./feed-verbs.ts"
import { expect, test } from "./fixtures.ts"

test.use({ deskOptions: { upstream: "events" } })

const STEPS = "/work/work_1"
const folds = (page: Page) => log(page).locator("> ol > li > details")

const dated = (sequence: number, second: number) =>
  frame(
    sequence,
    `kind.${String(sequence % 3)}`,
    JSON.stringify({ message: `Report ${String(sequence)}`, at: new Date(Date.UTC(2026, 10, 20, 8, 0, second)) }),
  )

test("events of unknown types are reports, despite gaps and duplicates, and each is listed under Raw", async ({
  page,
  eventUpstream,
}) => {
  // 3 is missing, and 4 comes twice.
  serve(eventUpstream, [dated(1, 1), dated(2, 2), dated(4, 41), dated(4, 41), frame(5, "old.events", "{}")])
  await page.goto(STEPS)
  await expect(log(page)).toContainText("Created")
  await expect(folds(page)).toHaveText([/^3 reports, 40 s/, /^1 report/])
  // The fold of the latest step is open while it is live.
  await expect(folds(page).first()).toContainText("+41 s")
  await activity(page).getByRole("link", { name: "Raw" }).click()
  await expect.poll(() => sequences(page)).toEqual(["5", "4", "2", "1"])
})

test("without any event the known steps are shown", async ({ page, eventUpstream }) => {
  serve(eventUpstream, [])
  await page.goto(STEPS)
  await expect(status(page)).toHaveText(/^Live/)
  await expect(log(page).getByRole("listitem")).toHaveCount(1)
  await expect(log(page)).toContainText("Created")
})

test("ten thousand events are one fold that shows a few of them, and a search opens the fold", async ({
  page,
  eventUpstream,
}) => {
  serve(eventUpstream, events(10_000))
  await page.goto(STEPS)
  await expect(folds(page).first()).toHaveText(/^10,000 reports/)
  const fold = folds(page).first()
  if ((await fold.getAttribute("open")) === null) await fold.locator("> summary").click()
  await expect(log(page).locator("li li")).toHaveCount(50)
  await log(page).getByRole("button", { name: "Show 350 more" }).click()
  await expect(log(page).locator("li li")).toHaveCount(400)
  await page.getByRole("searchbox", { name: "Find in activity" }).fill("Step 4711")
  await expect(log(page).locator("li li")).toHaveCount(1)
  await expect(log(page).locator("li li")).toContainText("Step 4711")
})

test("new steps don't move the page while a person reads, but wait behind a button", async ({
  page,
  eventUpstream,
}) => {
  let send: (text: string) => void = () => {}
  serve(
    eventUpstream,
    Array.from({ length: 40 }, (_, index) => dated(index + 1, index)),
    ({ write }) => (send = write),
  )
  await page.goto(STEPS)
  await expect(status(page)).toHaveText(/^Live/)
  // The fold of the latest step is open while it is live.
  const row = log(page).getByText("Report 20", { exact: true })
  await expect(row).toBeVisible()
  await row.click()
  await expect(row).toBeVisible()
  const before = await row.boundingBox()
  send([41, 42, 43].map((sequence) => dated(sequence, sequence)).join(""))
  const more = activity(page).getByRole("button", { name: "3 new" })
  await expect(more).toBeVisible()
  expect(await row.boundingBox()).toEqual(before)
  await more.click()
  await expect(log(page).getByText("Report 43", { exact: true })).toBeInViewport()
  await expect(activity(page).getByRole("heading", { name: "Activity" })).toBeFocused()

  await page.getByRole("button", { name: "Pause", exact: true }).click()
  send(dated(44, 44))
  await expect(status(page)).toHaveText(/^Paused, 1 new/)
  await expect(log(page).getByText("Report 44", { exact: true })).toHaveCount(0)
  await page.getByRole("button", { name: "Resume", exact: true }).click()
  await expect(log(page).getByText("Report 44", { exact: true })).toBeVisible()
})
