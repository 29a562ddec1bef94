import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, SUMMARY } from "./inbox-verbs.ts"
import { approve, changeAccess, choosePerson, navigation, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

test.use({ deskOptions: { people: true } })

test("what one person typed and sent is not the next person's", async ({ page, desk, relay }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  await changeAccess(desk, ({ roles }) => ({ roles: { ...(roles as object), approver: ["anyone"] }, rules: [] }))
  await signInAs(page, "Ada Lovelace", "/approvals")
  await page.getByRole("link", { name: SUMMARY }).click()
  relay.fail("POST", /\/resolve$/, { kind: "cut" }, 1)
  await decide(page, "approve", "Ada's own words")
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")
  await navigation(page).getByRole("button", { name: "Ada Lovelace" }).click()
  await page.getByRole("button", { name: "Switch person" }).click()
  await choosePerson(page, "Ben Okafor")
  await expect(navigation(page).getByRole("button", { name: "Ben Okafor" })).toBeVisible()
  await page.goto("/approvals")
  await page.getByRole("link", { name: SUMMARY }).click()
  await approve(page).click()
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("")
  await expect(page.getByRole("alert")).toHaveCount(0)
  expect(relay.mutations()).toHaveLength(1)
})
