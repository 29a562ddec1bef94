import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { approvalOf, approvalToDecide, createQuietWork, decide, openItem, SUMMARY } from "./inbox-verbs.ts"
import { create, fill } from "./new-work-verbs.ts"
import { addApproval } from "./revise.ts"
import { approve, changeAccess, decline, openAs, signInAs } from "./people-verbs.ts"

test("whoever may freeze says why, every page says it until the end, and what was typed stays", async ({
  page,
  desk,
}) => {
  const { workId, id } = await approvalToDecide(desk)
  await page.goto("/work/new")
  await fill(page)
  const other = await page.context().newPage()
  await openItem(other, "/approvals", SUMMARY)
  await other.getByRole("button", { name: "Approve", exact: true }).click()
  await other.getByRole("textbox", { name: "Comment" }).fill("Agreed with Ana")

  const overview = await page.context().newPage()
  await overview.goto("/overview")
  await overview.getByRole("button", { name: "Freeze…" }).click()
  await expect(overview.getByRole("textbox", { name: "Reason" })).toBeFocused()
  await overview.keyboard.insertText(`It sends letters in a loop. ${"Ask Ana before you end this. ".repeat(8)}`)
  await overview.getByRole("dialog").getByRole("button", { name: "Freeze", exact: true }).click()
  for (const each of [page, other, overview]) {
    const banner = each.getByRole("main").getByRole("alert").first()
    await expect(banner).toContainText("You have frozen this desk.")
    await expect(banner).toContainText("It sends letters in a loop")
  }
  await expect(overview.getByRole("dialog")).toHaveCount(0)
  await expectAccessibleInLightAndDark(overview)
  await expect(create(page)).toBeDisabled()
  await expect(create(page)).toHaveAccessibleDescription(/You have frozen this desk.*in a loop/)

  await expect(other.getByRole("dialog").getByRole("button", { name: "Confirm approve" })).toBeDisabled()
  await expect(other.getByRole("dialog")).toContainText("You have frozen this desk.")
  await other.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
  const approve = other.getByRole("button", { name: "Approve", exact: true })
  await expect(approve).toHaveAccessibleDescription(/You have frozen this desk.*in a loop/)
  // On a phone a long reason leaves the letter its room.
  await other.setViewportSize({ width: 390, height: 844 })
  await expect(other.getByText("Ask Ana before you end this.").first()).toBeVisible()
  const bar = await approve.locator("..").boundingBox()
  expect(bar?.height).toBeLessThan(844 / 3)
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "pending" })

  await overview.getByRole("button", { name: "End the freeze" }).click()
  await expect(overview.getByRole("heading", { level: 1, name: "Overview" })).toBeFocused()
  await expect(overview.getByText("You have frozen")).toHaveCount(0)
  await expect(create(page)).toBeEnabled()
  await decide(other, "approve")
  await expect(other.getByRole("article")).toContainText("Agreed with Ana")
})

test.describe("where people sign in", () => {
  test.use({ deskOptions: { people: true } })

  test("an overseer freezes a colleague and ends it by keyboard, and everybody reads why nothing is approved or created", async ({
    page,
    browser,
    desk,
  }) => {
    const everybody = { reader: ["anyone"], answerer: ["anyone"], delegator: ["anyone"], approver: ["group:finance"] }
    await changeAccess(desk, () => ({ roles: everybody, rules: [{ destination: "*halden*", approvalsNeeded: 2 }] }))
    const work = await createQuietWork(desk)
    const id = addApproval(desk, work.id)
    await signInAs(page, "Dora Lind", "/overview")
    const ada = await openAs(browser, desk, "Ada Lovelace", `/approvals?item=${id}`)
    const emil = await openAs(browser, desk, "Emil Berg", `/approvals?item=${id}`)
    const ben = await openAs(browser, desk, "Ben Okafor", "/work/new")
    const cleo = await openAs(browser, desk, "Cleo Martin", "/record")
    await expect(ada.getByRole("region", { name: "Before you decide" })).toContainText("Two people must approve.", {
      timeout: 20_000,
    })
    await decide(ada, "approve")
    const send = emil.getByRole("button", { name: "Approve and send" })
    await expect(send).toBeEnabled()
    await ben.getByLabel("Colleague").fill("metronome")
    await ben.getByLabel("Objective").fill("rate=1")
    await ben.getByLabel("Title").fill("A letter that waits for its end")
    await expect(create(ben)).toBeEnabled()

    await page.getByRole("button", { name: "Freeze…" }).focus()
    await page.keyboard.press("Enter")
    await expect(page.getByRole("textbox", { name: "Reason" })).toBeFocused()
    await page.keyboard.type("Beats in a loop")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.type("Metr")
    await expectAccessibleInLightAndDark(page)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")

    for (const each of [page, ada, emil, ben, cleo]) {
      const banner = each.getByRole("main").getByRole("alert").first()
      await expect(banner).toContainText("Dora Lind has frozen the colleague metronome. Beats in a loop")
      await expect(banner).toContainText(/Frozen (now|\d+ s ago)/)
      await expect(each.getByRole("button", { name: "End the freeze" })).toHaveCount(each === page ? 1 : 0)
    }
    const why = /Dora Lind has frozen the colleague metronome\. The reason: Beats in a loop/
    await expect(send).toHaveAttribute("aria-disabled", "true")
    await expect(send).toHaveAccessibleDescription(why)
    await expect(decline(emil)).toBeEnabled()
    await emil.getByRole("article").getByRole("heading").first().click()
    await emil.keyboard.press("a")
    await expect(emil.getByRole("dialog")).toHaveCount(0)
    await emil.keyboard.press("d")
    await expect(emil.getByRole("dialog")).toBeVisible()
    await emil.keyboard.press("Escape")
    await expect(create(ben)).toHaveAccessibleDescription(why)
    await ben.getByLabel("Objective").press("ControlOrMeta+Enter")
    await expect(approve(ada)).toHaveAttribute("aria-disabled", "true")
    await cleo.reload()
    await expect(cleo.getByRole("main").getByRole("listitem").first()).toContainText(/Dora Lind.*froze a colleague/)
    await expectAccessibleInLightAndDark(cleo)

    await page.getByRole("button", { name: "End the freeze" }).focus()
    await page.keyboard.press("Enter")
    for (const each of [page, ada, emil, ben, cleo]) await expect(each.getByText("has frozen")).toHaveCount(0)
    await expect(ada.getByRole("article")).toContainText("Approved by you.")
    expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "pending" })
    await create(ben).click()
    await expect(ben.getByRole("heading", { level: 1, name: "A letter that waits for its end" })).toBeVisible()
    await send.click()
    await emil.getByRole("dialog").getByRole("button", { name: "Confirm approve" }).click()
    await expect(emil.getByRole("article")).toContainText("Approved by Emil Berg")
  })
})
