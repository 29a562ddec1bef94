import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide } from "./inbox-verbs.ts"
import { approve, changeAccess, openAs, signInAs } from "./people-verbs.ts"
import { addApproval, retitle, revise } from "./revise.ts"

test.use({ deskOptions: { people: true } })

const everybody = { reader: ["anyone"], answerer: ["anyone"], delegator: ["anyone"], approver: ["anyone"] }

const line = (page: Page, name: string) => page.getByRole("main").getByRole("link", { name })
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

test("an approval of an earlier version is shown with the version on the screen, and not before", async ({
  page,
  browser,
  desk,
}) => {
  await changeAccess(desk, () => ({ roles: everybody, rules: [{ destination: "*", approvalsNeeded: 2 }] }))
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { summary: "The payroll" })
  await signInAs(page, "Ada Lovelace", `/approvals?item=${id}`)
  const before = (of: Page) => of.getByRole("region", { name: "Before you decide" })
  await expect(before(page)).toContainText("Two people must approve.", { timeout: 20_000 })
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved by you.")
  const other = await openAs(browser, desk, "Ben Okafor", "/approvals")
  await line(other, "The payroll").click()
  await expect(button(other, "Approve and send")).toBeVisible()
  revise(desk, "approval", id, { body: "Another sum" })
  retitle(desk, work.id, "Another title")
  await expect(button(other, "Show version 2")).toBeVisible({ timeout: 15_000 })
  await expect(other.getByRole("article")).toContainText("0 of 2 approvals")
  await expect(before(other)).not.toContainText("This is version 1")
  await button(other, "Show version 2").click()
  await expect(before(other)).toContainText("Ada Lovelace approved version 1. This is version 2.")
  // It is about the version, so a phone neither folds nor cuts it.
  await other.setViewportSize({ width: 390, height: 844 })
  const earlier = before(other).getByRole("listitem").filter({ hasText: "approved version 1" })
  await expect(earlier).toHaveAttribute("data-read")
  const isWhole = () =>
    earlier.evaluate((line) =>
      [line, ...line.querySelectorAll("*")].every(
        (each) => each.scrollWidth <= each.clientWidth || each.clientWidth === 0,
      ),
    )
  await expect.poll(isWhole).toBe(true)
})

test("a browser whose clock is an hour ahead shows and sends the server's times", async ({ page, desk }) => {
  await changeAccess(desk, () => ({ roles: everybody, rules: [{ destination: "*", decideWithin: "3h" }] }))
  await page.addInitScript((ahead) => {
    const { Date: Real } = globalThis
    globalThis.Date = class extends Real {
      constructor(moment: number | string = Real.now() + ahead) {
        super(moment)
      }
      static override now() {
        return Real.now() + ahead
      }
    } as DateConstructor
  }, 3_600_000)
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The payroll", created_at: new Date().toISOString() })
  await signInAs(page, "Ada Lovelace", "/approvals")
  await line(page, "The payroll").click()
  const card = page.getByRole("article")
  await expect(card).toContainText(/Decide by .*, in (?:3|2) h/, { timeout: 20_000 })
  await button(page, "Take it").click()
  await expect(card).toContainText("Taken by Ada Lovelace")
  await expect(card).not.toContainText(/in \d+ min|hours? ago|hr ago/)
  const sent = page.waitForRequest((request) => request.url().endsWith("/desk/aside"))
  await page.keyboard.press("s")
  await page.getByRole("dialog").getByRole("button", { name: "In an hour" }).click()
  const { until } = (await sent).postDataJSON() as { until: string }
  expect(Math.abs(Date.parse(until) - Date.now() - 3_600_000)).toBeLessThan(60_000)
})

test("a reader does not see that theirs is the last approval, and the record says beside its age that one is held", async ({
  page,
  browser,
  desk,
}) => {
  await changeAccess(desk, () => ({ rules: [{ destination: "*", approvalsNeeded: 2 }] }))
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { summary: "The payroll" })
  await signInAs(page, "Ada Lovelace", `/approvals?item=${id}`)
  const before = (of: Page) => of.getByRole("region", { name: "Before you decide" })
  await expect(before(page)).toContainText("Two people must approve.", { timeout: 20_000 })
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved by you.")

  const other = await openAs(browser, desk, "Cleo Martin", `/approvals?item=${id}`)
  await expect(before(other)).toContainText("Two people must approve. 1 of 2 approvals: Ada Lovelace")
  await expect(approve(other)).toHaveAttribute("aria-disabled", "true")
  await expect(other.getByRole("article")).not.toContainText("Read to the end")

  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await other.setViewportSize(viewport)
    await other.goto("/record?outcome=held")
    const entry = other.getByRole("main").getByRole("listitem")
    const outcome = await entry.getByText("Held for more approvals").boundingBox()
    const age = await entry.getByText("now").boundingBox()
    expect(outcome && age && outcome.x + outcome.width <= age.x).toBe(true)
    expect(age && age.x + age.width <= viewport.width).toBe(true)
  }
})
