import { expect, expectAccessible, test } from "./fixtures.ts"
import { approvalOf, createQuietWork, decide, openForOthers, SUMMARY } from "./inbox-verbs.ts"
import { approve, changeAccess, navigation, signInAs, decline } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"
import { chooseColleague } from "./new-work-verbs.ts"

test.use({ deskOptions: { people: true } })

test("without the role the controls are there, disabled, and say why and whom to ask", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  addAttention(desk, work.id)
  await signInAs(page, "Cleo Martin", "/approvals")
  await openForOthers(page, SUMMARY)
  for (const button of [approve(page), decline(page)]) {
    await expect(button).toBeDisabled()
    await expect(button).toHaveAccessibleDescription(/You don't have the approver role\. Ask the demonstration/)
    await expect(button).toHaveAttribute("aria-disabled", "true")
    await button.focus()
    await expect(button).toBeFocused()
    await page.keyboard.press("Enter")
    await expect(page.getByRole("dialog")).toHaveCount(0)
  }
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await expectAccessible(page)
  await navigation(page)
    .getByRole("link", { name: /Needs You/ })
    .click()
  await openForOthers(page, "Two rows share invoice 4417")
  for (const control of [
    page.getByRole("textbox", { name: "Your answer" }),
    page.getByRole("button", { name: "Send answer" }),
    page.getByRole("button", { name: "Use recommendation" }),
  ]) {
    await expect(control).toBeDisabled()
    await expect(control).toHaveAccessibleDescription(/answerer role/)
    await control.focus()
    await expect(control).toBeFocused()
  }
  await page.getByRole("textbox", { name: "Your answer" }).pressSequentially("No")
  await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("")
})

test("a rule that keeps somebody from approving is said before the click; declining stays possible", async ({
  page,
  desk,
}) => {
  await changeAccess(desk, ({ roles }) => ({ roles: { ...(roles as object), approver: ["group:ops"] } }))
  await signInAs(page, "Ben Okafor", "/work/new")
  await chooseColleague(page, "metronome")
  await page.getByLabel("Objective").fill("rate=0.1")
  await page.getByRole("button", { name: "Create Work" }).click()
  await page.waitForURL(/\/work\/(?!new)/)
  const workId = decodeURIComponent(new URL(page.url()).pathname.replace("/work/", ""))
  const id = addApproval(desk, workId)
  await page.goto("/approvals")
  await openForOthers(page, SUMMARY)
  await expect(approve(page)).toHaveAccessibleDescription(/You created this Work/, { timeout: 30_000 })
  await expect(approve(page)).toHaveAccessibleDescription(/Ask .*, or the demonstration/)
  await approve(page).focus()
  await expect(approve(page)).toBeFocused()
  await expect(decline(page)).toBeEnabled()
  await decide(page, "decline", "Not mine to approve")
  await expect(page.getByRole("article")).toContainText("Declined by Ben Okafor")
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "declined" })
})
