import { expect, test } from "./fixtures.ts"
import { approvalOf, approvalToDecide, decide, openItem, RESOLVE, SUMMARY } from "./inbox-verbs.ts"

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
  await expect(again).toHaveAccessibleDescription(/You have frozen this desk\. The reason: It sends letters in a loop/)
  await again.focus()
  await page.keyboard.press("Enter")
  expect(relay.mutations()).toHaveLength(1)

  await page.getByRole("button", { name: "End the freeze" }).click()
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
