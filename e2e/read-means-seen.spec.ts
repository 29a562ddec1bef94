import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, openApproval, openItem, readToTheEnd, SUMMARY } from "./inbox-verbs.ts"
import { addApproval, revise } from "./revise.ts"

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const readOn = (page: Page) => button(page, "Read to the end")

const LONG = Array.from({ length: 150 }, (_, line) => `Line ${line} of the letter.`).join("\n\n")

test("approve waits until every part of the letter was seen, and decline does not wait", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { body: LONG })
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Decline")).toBeEnabled()
  await expect(button(page, "Approve")).toBeDisabled()
  // The end alone is not the letter.
  await page.keyboard.press("End")
  await expect(page.getByText("Line 149 of the letter")).toBeInViewport()
  await expect(readOn(page)).toBeVisible()
  await expect(button(page, "Approve")).toBeDisabled()

  expect((await readToTheEnd(page)).length).toBeGreaterThan(5)
  await expect(button(page, "Approve")).toBeEnabled()
})

test("a newer version has to be read from its beginning", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { body: LONG })
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Decline")).toBeEnabled()
  await readToTheEnd(page)
  await expect(button(page, "Approve")).toBeEnabled()
  revise(desk, "approval", id, { subject: "Another subject" })
  await button(page, "Show version 2").click({ timeout: 40_000 })
  await expect(readOn(page)).toBeVisible()
  await expect(button(page, "Approve")).toBeDisabled()
  await readToTheEnd(page)
  await expect(button(page, "Approve")).toBeEnabled()
})

test("what comes above a letter that was read has to be seen, too", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { body: LONG })
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Decline")).toBeEnabled()
  await readToTheEnd(page)
  await expect(button(page, "Approve")).toBeEnabled()
  revise(desk, "approval", id, { subject: "Another subject" })
  await expect(button(page, "Show version 2")).toBeAttached({ timeout: 40_000 })
  await expect(button(page, "Show version 2")).not.toBeInViewport()
  await expect(button(page, "Approve")).toBeDisabled()
  await readOn(page).click()
  await expect(button(page, "Show version 2")).toBeInViewport()
  await expect(button(page, "Approve")).toBeEnabled()
})

test("what the facts push below the window was not read", async ({ page, desk }) => {
  const held = Promise.withResolvers<void>()
  await page.route(/\/desk\/context\?/, async (route) => {
    await held.promise
    await route.continue()
  })
  addApproval(desk, (await createQuietWork(desk)).id, {})
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Decline")).toBeEnabled()
  await expect(readOn(page)).toBeHidden()
  // The end of what must be read stands just above the bar.
  const height = await page.evaluate(() => {
    const end = Math.max(
      ...[...document.querySelectorAll("[data-read]")].map((each) => each.getBoundingClientRect().bottom),
    )
    const bar = document.querySelector("[data-asks]")?.parentElement?.getBoundingClientRect().height ?? 0
    return Math.ceil(scrollY + end + bar + 4)
  })
  await page.setViewportSize({ width: 1280, height })
  await expect(readOn(page)).toBeHidden()
  held.resolve()
  await expect(page.getByText("First letter to")).toBeVisible()
  await expect(readOn(page)).toBeVisible()
  await expect(button(page, "Approve")).toBeDisabled()
  await readToTheEnd(page)
  await expect(button(page, "Approve")).toBeEnabled()
})

test("letters that are on the screen at once are all seen", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  for (const summary of ["The first request", "The second request", "The third request"])
    addApproval(desk, work.id, { summary })
  await page.setViewportSize({ width: 1280, height: 3_000 })
  await page.goto(`/work/${work.id}`)
  const approves = button(page, "Approve")
  await expect(approves).toHaveCount(3)
  for (const approve of await approves.all()) await expect(approve).toBeEnabled()
})

test("each press of Read to the end leaves no line unseen", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { body: LONG })
  await openItem(page, "/approvals", SUMMARY)
  await expect(page.getByText("First letter to")).toBeVisible()
  const windows = await readToTheEnd(page)
  for (const [at, [top]] of windows.entries()) if (at > 0) expect(top).toBeLessThan(windows[at - 1]?.[1] ?? 0)
})

test("presses that come faster than the browser draws show nothing, so nothing counts as seen", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { body: LONG })
  await openItem(page, "/approvals", SUMMARY)
  await expect(page.getByText("First letter to")).toBeVisible()
  await expect(readOn(page)).toBeVisible()
  await readOn(page).evaluate(async (press: HTMLElement) => {
    for (let presses = 0; presses < 100; presses++) press.click()
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  })
  await expect(readOn(page)).toBeVisible()
  await expect(button(page, "Approve")).toBeDisabled()
  expect((await readToTheEnd(page)).length).toBeGreaterThan(5)
  await expect(button(page, "Approve")).toBeEnabled()
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("a part without a text has nothing to be seen", async ({ page, desk }) => {
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { destination: "", subject: "", body: "", risk: "", policy_reason: "" })
    await openItem(page, "/approvals", SUMMARY)
    await expect(button(page, "Approve")).toBeEnabled()
  })

  test("a short letter below the window was not read", async ({ page, desk }) => {
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { summary: `${SUMMARY} ${"and say why it is late ".repeat(40)}`, body: "Pay 900 EUR." })
    await openItem(page, "/approvals", SUMMARY)
    await expect(button(page, "Decline")).toBeEnabled()
    await expect(page.getByText("Pay 900 EUR.")).not.toBeInViewport()
    await expect(button(page, "Approve")).toBeDisabled()
    await page.keyboard.press("a")
    await expect(page.getByRole("dialog")).toHaveCount(0)
    await readToTheEnd(page)
    await expect(button(page, "Approve")).toBeEnabled()
  })
})

test.describe("at 400 % zoom", () => {
  test.use({ viewport: { width: 320, height: 256 } })

  test("a letter can be read to its end", async ({ page, desk }) => {
    await openApproval(page, desk)
    await expect(button(page, "Approve")).toBeDisabled()
    await readToTheEnd(page)
    await expect(button(page, "Approve")).toBeEnabled()
  })
})
