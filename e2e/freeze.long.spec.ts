import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { approvalOf, approvalToDecide, createQuietWork, decide, openItem, RESOLVE, SUMMARY } from "./inbox-verbs.ts"
import { chooseColleague, create } from "./new-work-verbs.ts"
import { addApproval } from "./revise.ts"
import { approve, changeAccess, decline, openAs, signInAs } from "./people-verbs.ts"

test("an approve without an answer is sent again during a freeze only where the service has it", async ({
  page,
  desk,
  relay,
  request,
}) => {
  const { workId, id } = await approvalToDecide(desk)
  const freeze = async (reason: string) =>
    expect((await request.put("/desk/freeze", { data: { colleague: null, reason } })).status()).toBe(200)
  await openItem(page, "/approvals", SUMMARY)
  relay.fail("POST", RESOLVE, { kind: "cut" }, 1)
  await decide(page, "approve", "Agreed")
  const again = page.getByRole("button", { name: "Send again" })
  await expect(again).toBeEnabled()
  await freeze("It sends letters in a loop")
  await expect(again).toHaveAttribute("aria-disabled", "true")
  await expect(again).toHaveAccessibleDescription(/You have frozen this desk\. Reason: It sends letters in a loop/)
  await again.focus()
  await page.keyboard.press("Enter")
  expect(relay.mutations()).toHaveLength(1)

  await page.getByRole("button", { name: "End the freeze" }).click()
  await page.getByRole("button", { name: "Confirm the end" }).click()
  await expect(again).not.toHaveAttribute("aria-disabled", "true")
  relay.fail("POST", RESOLVE, { kind: "lose-answer" }, 1)
  await again.click()
  await expect.poll(async () => (await approvalOf(desk, workId, id))?.status).toBe("approved")
  await freeze("It sends letters again")
  await expect(page.getByRole("main")).toContainText("It sends letters again")
  await again.click()
  await expect(page.getByRole("article")).toContainText("already recorded")
  await expect(page.getByRole("article")).toContainText("Agreed")
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
    await chooseColleague(ben, "metronome")
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
      await expect(banner).toContainText("Dora Lind has frozen the colleague metronome.")
      await expect(banner).toContainText("Beats in a loop")
      await banner.getByRole("button", { name: "More" }).click()
      await expect(banner).toContainText(/Frozen (now|\d+ s ago)/)
      await expect(each.getByRole("button", { name: "End the freeze" })).toHaveCount(each === page ? 1 : 0)
    }
    const why = /Dora Lind has frozen the colleague metronome\. Reason: Beats in a loop/
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
    await page.getByRole("button", { name: "Confirm the end" }).click()
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
