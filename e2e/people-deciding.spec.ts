import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { approvalOf, createQuietWork, decide, openItem, SUMMARY } from "./inbox-verbs.ts"
import { approve, changeAccess, choosePerson, navigation, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

test.use({ deskOptions: { people: true } })

const decline = (page: Page) => page.getByRole("button", { name: "Decline", exact: true })

test("without the role the controls are there, disabled, and say why and whom to ask", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  addAttention(desk, work.id)
  await signInAs(page, "Cleo Martin", "/approvals")
  await page.getByRole("link", { name: SUMMARY }).click()
  for (const button of [approve(page), decline(page)]) {
    await expect(button).toBeDisabled()
    await expect(button).toHaveAccessibleDescription(/You do not have the role approver\. Ask the demonstration/)
  }
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await expectAccessible(page)
  await navigation(page)
    .getByRole("link", { name: /Needs You/ })
    .click()
  await page.getByRole("link", { name: "Two rows share invoice 4417" }).click()
  await expect(page.getByRole("textbox", { name: "Your answer" })).toBeDisabled()
  await expect(page.getByRole("button", { name: "Send answer" })).toHaveAccessibleDescription(/role answerer/)
})

test("a rule that keeps somebody from approving is said before the click; declining stays possible", async ({
  page,
  desk,
}) => {
  await changeAccess(desk, ({ roles }) => ({ roles: { ...(roles as object), approver: ["group:ops"] } }))
  await signInAs(page, "Ben Okafor", "/work/new")
  await page.getByRole("combobox", { name: "Colleague" }).fill("metronome")
  await page.getByLabel("Objective").fill("rate=0.1")
  await page.getByRole("button", { name: "Create Work" }).click()
  await page.waitForURL(/\/work\/(?!new)/)
  const workId = decodeURIComponent(new URL(page.url()).pathname.replace("/work/", ""))
  const id = addApproval(desk, workId)
  await openItem(page, "/approvals", SUMMARY)
  await expect(approve(page)).toHaveAccessibleDescription(/You created this Work/, { timeout: 30_000 })
  await expect(approve(page)).toBeDisabled()
  await expect(decline(page)).toBeEnabled()
  await decide(page, "decline", "Not mine to approve")
  await expect(page.getByRole("article")).toContainText("Declined by Ben Okafor")
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "declined" })
})

test("a sign-in that is too old is asked for anew, in this tab: the comment stays, and nothing is approved by itself", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id)
  await signInAs(page, "Ada Lovelace", "/approvals")
  await page.getByRole("link", { name: SUMMARY }).click()
  await approve(page).click()
  await page.getByRole("textbox", { name: "Comment" }).fill("As agreed")
  await page.getByRole("button", { name: "Cancel" }).click()
  const address = page.url()
  await changeAccess(desk, () => ({ rules: [{ maxAuthenticationAgeSeconds: 1 }] }))
  const signInAgain = page.getByRole("button", { name: "Sign in again" })
  await expect(signInAgain).toBeVisible({ timeout: 60_000 })
  await expect(approve(page)).toBeDisabled()
  await expect(decline(page)).toBeEnabled()
  await signInAgain.click()
  await page.waitForURL(/^http:\/\/localhost:/)
  await changeAccess(desk, () => ({ rules: [{ maxAuthenticationAgeSeconds: 3_600 }] }))
  await choosePerson(page, "Ada Lovelace")
  await expect(page).toHaveURL(address)
  await expect(approve(page)).toBeEnabled({ timeout: 30_000 })
  expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "pending" })
  await approve(page).click()
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("As agreed")
  await page.getByRole("button", { name: "Confirm approve" }).click()
  await expect(page.getByRole("article")).toContainText("Approved by Ada Lovelace")
  await expect(page.getByRole("article")).toContainText("sa_demo")
})
