import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, SUMMARY, approvalOf } from "./inbox-verbs.ts"
import { approve, changeAccess, choosePerson, navigation, signInAs, decline } from "./people-verbs.ts"
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
  await expect(page.getByRole("status").filter({ hasText: "Decided here" })).toContainText("Approved")
  await page.getByRole("link", { name: "Answer lost" }).click()
  relay.fail("POST", /\/resolve$/, { kind: "lose-answer" }, 1)
  await decide(page, "approve")
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")

  const other = await (await browser.newContext({ baseURL: desk.url })).newPage()
  await signInAs(other, "Cleo Martin", `/work/${encodeURIComponent(work.id)}`)
  const card = (name: string) =>
    other.getByRole("region", { name: "Approvals" }).getByRole("article").filter({ hasText: name })
  await expect(card("Decided here")).toContainText("Approved by Ada Lovelace")
  await expect(card("Decided elsewhere")).toContainText("Declined elsewhere")
  await expect(card("Answer lost")).toContainText("Approved, perhaps by Ada Lovelace (the service's response was lost)")
  await other.context().close()
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
