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

test("every decision says who decided: somebody here, nobody here, or not known after a lost answer", async ({
  page,
  browser,
  desk,
  relay,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "Decided here" })
  addApproval(desk, work.id, { summary: "Answer lost" })
  const elsewhere = addApproval(desk, work.id, { summary: "Decided elsewhere" })
  await desk.api.POST("/api/v1/work/{id}/approvals/{approval_id}/resolve", {
    params: {
      path: { id: work.id, approval_id: elsewhere },
      header: { "If-Match": '"1"', "Idempotency-Key": "elsewhere" },
    },
    body: { decision: "decline" },
  })
  await signInAs(page, "Ada Lovelace", "/approvals")
  await page.getByRole("link", { name: "Decided here" }).click()
  await decide(page, "approve")
  await expect(page.getByRole("article", { name: "Decided here" })).toContainText("Approved by Ada Lovelace")
  await page.getByRole("link", { name: "Answer lost" }).click()
  relay.fail("POST", /\/resolve$/, { kind: "lose-answer" }, 1)
  await decide(page, "approve")
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")

  const other = await (await browser.newContext({ baseURL: desk.url })).newPage()
  await signInAs(other, "Cleo Martin", `/work/${encodeURIComponent(work.id)}`)
  const card = (name: string) =>
    other.getByRole("region", { name: "Approvals" }).getByRole("article").filter({ hasText: name })
  await expect(card("Decided here")).toContainText("Approved by Ada Lovelace")
  await expect(card("Decided elsewhere")).toContainText("Declined, not from this desk")
  await expect(card("Answer lost")).toContainText("Approved; Ada Lovelace sent this, the answer was lost")
  await other.context().close()
})
