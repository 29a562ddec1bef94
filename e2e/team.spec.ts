import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { openFilters } from "./filter-verbs.ts"
import { readToTheEnd, approvalOf, createQuietWork, decide } from "./inbox-verbs.ts"
import { approve, changeAccess, navigation, openAs, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

test.use({ deskOptions: { people: true } })

const everybody = { reader: ["anyone"], answerer: ["anyone"], delegator: ["anyone"], approver: ["anyone"] }

const line = (page: Page, name: string) => page.getByRole("main").getByRole("link", { name })
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

test("two people see who looks, who types and who has an item, and hand it on with a note", async ({
  page,
  browser,
  desk,
}) => {
  await changeAccess(desk, () => ({ roles: everybody, rules: [] }))
  const work = await createQuietWork(desk)
  addAttention(desk, work.id, { title: "Which amount is right?" })
  await signInAs(page, "Ada Lovelace", "/needs-you")
  const other = await openAs(browser, desk, "Ben Okafor", "/needs-you")
  await line(page, "Which amount").click()
  await expect(line(other, "Which amount")).toContainText("Ada Lovelace")
  await line(other, "Which amount").click()
  const card = page.getByRole("article")
  const otherCard = other.getByRole("article")
  await expect(otherCard).toContainText("Ada Lovelace is looking at this")
  await page.getByRole("textbox", { name: "Your answer" }).fill("The first one")
  await expect(otherCard).toContainText("Ada Lovelace is writing an answer")

  // The role of the access file is read again within ten seconds.
  await expect(async () => {
    await page.getByRole("heading", { name: "Which amount" }).click()
    await page.keyboard.press("t")
    await expect(card).toContainText("Taken by Ada Lovelace", { timeout: 2_000 })
  }).toPass({ timeout: 20_000 })
  await expect(otherCard).toContainText("Taken by Ada Lovelace")
  await button(page, "Hand to").click()
  const dialog = page.getByRole("dialog", { name: "Hand to" })
  await expectAccessible(page)
  await dialog.getByRole("combobox", { name: "To" }).selectOption("Ben Okafor")
  await dialog.getByRole("textbox", { name: "Note" }).fill("You know the supplier")
  await dialog.getByRole("button", { name: "Hand over" }).click()
  await expect(otherCard).toContainText("Handed to you by Ada Lovelace")
  await expect(otherCard).toContainText("“You know the supplier”")
  await (await openFilters(other)).getByRole("button", { name: "Mine", exact: true }).click()
  await expect(other).toHaveURL(/for=mine/)
  await expect(line(other, "Which amount")).toBeVisible()
  await (await openFilters(page)).getByRole("button", { name: "Free", exact: true }).click()
  await expect(line(page, "Which amount")).toHaveCount(0)
  await line(other, "Which amount").click()
  await button(other, "Give back").click()
  await expect(line(page, "Which amount")).toBeVisible()
  await expectAccessible(other)
})

test("what is set aside leaves the list and the count of one person, and comes back when they ask", async ({
  page,
  browser,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The first request" })
  addApproval(desk, work.id, { summary: "The second request" })
  await signInAs(page, "Ada Lovelace", "/approvals")
  const badge = (of: Page) => navigation(of).getByRole("link", { name: /^Approvals/ })
  await line(page, "The first request").click()
  await page.keyboard.press("s")
  await page.getByRole("dialog").getByRole("button", { name: "In an hour" }).click()
  await expect(page.getByRole("heading", { name: "The second request" })).toBeVisible()
  await expect(line(page, "The first request")).toHaveCount(0)
  await expect(badge(page)).toHaveText("Approvals 1")
  await expect(badge(page)).toHaveAccessibleName("Approvals 1 wait, 1 set aside")
  const other = await openAs(browser, desk, "Cleo Martin", "/approvals")
  // Cleo may only read, so both requests wait for others.
  await expect(other.getByText("Waiting for others (2)")).toBeVisible()
  await expect(badge(other)).toHaveText("Approvals")
  await page.reload()
  await page.getByText("Set aside (1)").click()
  await expectAccessible(page)
  await button(page, "Bring back The first request").click()
  await expect(line(page, "The first request")).toBeVisible()
  await expect(badge(page)).toHaveText("Approvals 2")
})

test("two people approve: the first is kept and can be withdrawn, the last sends", async ({ page, browser, desk }) => {
  await changeAccess(desk, () => ({ roles: everybody, rules: [{ destination: "*", approvalsNeeded: 2 }] }))
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { summary: "The payroll" })
  await signInAs(page, "Ada Lovelace", "/approvals")
  await line(page, "The payroll").click()
  await expect(page.getByRole("region", { name: "Before you decide" })).toContainText("Two people must approve.", {
    timeout: 20_000,
  })
  const card = page.getByRole("article")
  await decide(page, "approve", "Kept here")
  await expect(card).toContainText("Approved by you. One more approval is needed.")
  await expect(approve(page)).toHaveAttribute("aria-disabled", "true")
  await expect(line(page, "The payroll")).toHaveCount(0)
  await expect(navigation(page).getByRole("link", { name: /^Approvals/ })).toHaveText("Approvals")
  expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "pending" })
  await button(page, "Withdraw my approval").click()
  await expect(line(page, "The payroll")).toBeVisible()
  await decide(page, "approve")
  await expect(card).toContainText("Approved by you.")

  const other = await openAs(browser, desk, "Ben Okafor", "/approvals")
  await expect(line(other, "The payroll")).toContainText("1 of 2 approvals: Ada Lovelace")
  await line(other, "The payroll").click()
  await expectAccessible(other)
  await readToTheEnd(other)
  await button(other, "Approve and send").click()
  await other.getByRole("dialog").getByRole("button", { name: "Confirm approve" }).click()
  await expect(other.getByRole("article")).toContainText("Approved by Ben Okafor")
  expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "approved" })
  await expect(card).toContainText("This was decided elsewhere.", { timeout: 40_000 })
})
