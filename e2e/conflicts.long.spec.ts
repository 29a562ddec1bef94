import { expect, test } from "./fixtures.ts"
import {
  readToTheEnd,
  RESOLVE,
  SUMMARY,
  answer,
  approvalOf,
  createQuietWork,
  decide,
  expectRequestId,
  openApproval,
  openItem,
} from "./inbox-verbs.ts"
import { addAttention, remove, revise } from "./revise.ts"

test.describe("a desk that waits four seconds for the service", () => {
  test.use({ deskOptions: { timeouts: { headers: 4_000 } } })

  test("a time-out is an unknown outcome too, and an answer is sent again under its key", async ({
    page,
    desk,
    relay,
  }) => {
    const work = await createQuietWork(desk)
    addAttention(desk, work.id)
    await openItem(page, "/needs-you", "Two rows share invoice 4417")
    relay.fail("POST", RESOLVE, { kind: "hold" }, 1)
    await answer(page, "Keep the first")
    await expect(page.getByRole("alert")).toContainText("Outcome unknown")
    await expectRequestId(page)
    await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("Keep the first")
    await page.getByRole("button", { name: "Send again" }).click()
    await expect(page.getByRole("article")).toContainText("already recorded")
    expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
  })
})

test("a clock that is set back during a wait does not delay the button", async ({ page, desk, relay }) => {
  await openApproval(page, desk)
  relay.fail("POST", RESOLVE, { kind: "refuse", status: 429, code: "WAIT", headers: { "retry-after": "3" } }, 1)
  await decide(page, "approve", "In time")
  await expect(page.getByRole("alert")).toContainText(/You can send it in [1-3] s/)
  await page.evaluate(() => {
    const { now } = Date
    Date.now = () => now() - 60_000
  })
  const again = page.getByRole("button", { name: "Send again" })
  await expect(again).not.toHaveAttribute("aria-disabled", "true")
  await again.click()
  await expect(page.getByRole("article")).toContainText("Approved")
})

test("a wait of a month is said in days, and ends with a question and not with a decision", async ({
  page,
  desk,
  relay,
}) => {
  await openApproval(page, desk)
  relay.fail("POST", RESOLVE, { kind: "refuse", status: 429, code: "WAIT", headers: { "retry-after": "3000000" } }, 1)
  await decide(page, "approve", "In a month")
  await expect(page.getByRole("alert")).toContainText(/You can send it in 3[45] days/)
  await page.getByRole("button", { name: "Don't send" }).click()
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  expect(relay.mutations()).toHaveLength(1)
})

test("the desk is restarted while a person decides: unknown, then sent again", async ({ page, desk, relay }) => {
  const { id, workId } = await openApproval(page, desk)
  await readToTheEnd(page)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByRole("textbox", { name: "Comment" }).fill("Once")
  await expect(page.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
  await desk.stopServer()
  await page.getByRole("button", { name: "Confirm approve" }).click()
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")
  await desk.startServer()
  await page.getByRole("button", { name: "Send again" }).click()
  await expect(page.getByRole("article")).toContainText("Approved")
  expect(relay.mutations()).toHaveLength(1)
  expect(await approvalOf(desk, workId, id)).toMatchObject({ version: 2, resolution_comment: "Once" })
})

test("a decision on what was resolved a moment ago ends as a tombstone with the Request ID", async ({ page, desk }) => {
  const { workId } = await openApproval(page, desk)
  await readToTheEnd(page)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByRole("textbox", { name: "Comment" }).fill("Mine")
  // The page must not learn of this decision before the click.
  await desk.owner.decide(workId, { decision: "decline" })
  await page.getByRole("button", { name: "Confirm approve" }).click()
  const card = page.getByRole("article")
  await expect(card).toContainText("This was decided elsewhere")
  await expect(card).toContainText("Declined")
  await expect(card).toContainText("Mine")
  await expect(card).not.toContainText("decide again")
  await expectRequestId(page)
})

test("what is gone from the list becomes a tombstone", async ({ page, desk }) => {
  const { id } = await openApproval(page, desk)
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  remove(desk, "approval", id)
  await expect(page.getByRole("article")).toContainText("No longer pending", { timeout: 30_000 })
  await expect(page.getByRole("button", { name: /^(Approve|Decline)$/ })).toHaveCount(0)
  await expect(page.getByRole("link", { name: SUMMARY })).toContainText("no longer pending", { timeout: 30_000 })
})

test("400, 422 and 428: the Problem, its Request ID, and the text stay, and it can be sent again", async ({
  page,
  desk,
  relay,
}) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  await openItem(page, "/needs-you", "Two rows share invoice 4417")
  await page.getByRole("textbox", { name: "Your answer" }).fill("Keep the first")
  const send = page.getByRole("button", { name: "Send answer" })
  for (const [status, code] of [
    [400, "INVALID"],
    [422, "POLICY"],
    [428, "IF_MATCH_MISSING"],
  ] as const) {
    relay.fail("POST", RESOLVE, { kind: "refuse", status, code }, 1)
    await send.click()
    const alert = page.getByRole("alert")
    await expect(alert).toContainText(`Refused with ${status}`)
    await expect(alert).toContainText(`The relay refused this as ${code}.`)
    await expect(alert).toContainText(`req_relay_${status}`)
    await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("Keep the first")
  }
  await send.click()
  await expect(page.getByRole("article")).toContainText("Answer recorded")
})

test("401 while typing: the card and its text stay, and can be sent when the credential serves again", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  await openItem(page, "/needs-you", "Two rows share invoice 4417")
  const box = page.getByRole("textbox", { name: "Your answer" })
  await box.fill("Keep the")
  const stranger = { token: "another", account: "sa_other", owner: "other", scopes: ["work:read"] }
  await desk.configure({ credentials: [stranger] })
  await expect.poll(async () => (await desk.api.GET("/api/v1/work")).response.status).toBe(401)
  await box.pressSequentially(" first")
  await page.getByRole("button", { name: "Send answer" }).click()
  await expectRequestId(page)
  await expect(box).toHaveValue("Keep the first")
  await expect(page.getByRole("article")).toContainText("Rows 212 and 349")
  await desk.configure({})
  await expect.poll(async () => (await desk.api.GET("/api/v1/work")).response.status).toBe(200)
  await page.getByRole("button", { name: "Send answer" }).click()
  await expect(page.getByRole("article")).toContainText("Answer recorded")
})

test("403: the reason is shown, the buttons are gone, the letter stays", async ({ page, desk }) => {
  await openApproval(page, desk)
  await desk.configure({
    credentials: [
      {
        token: desk.token,
        account: "sa_demo",
        owner: "owner_demo",
        scopes: ["work:read", "work:guide", "approval:read"],
      },
    ],
  })
  await expect
    .poll(async () => {
      const params = { header: { "Idempotency-Key": crypto.randomUUID() } }
      const body = { colleague_id: "analyst", objective: "No" }
      return (await desk.api.POST("/api/v1/work", { params, body })).response.status
    })
    .toBe(403)
  await decide(page, "approve", "May I?")
  await expectRequestId(page)
  await expect(page.getByRole("alert")).toContainText("doesn't allow this")
  await expect(page.getByRole("button", { name: /^(Approve|Decline)$/ })).toHaveCount(0)
  await expect(page.getByRole("article")).toContainText("contracts@halden-logistics.example")
})

test("404 while the service still lists the item: nothing is claimed, and it can be decided again, after a reload too", async ({
  page,
  desk,
  relay,
}) => {
  const { workId, id } = await openApproval(page, desk)
  relay.fail("POST", RESOLVE, { kind: "refuse", status: 404, code: "NOT_FOUND" }, 1)
  await decide(page, "approve", "Still wanted")
  await expect(page.getByRole("alert")).toContainText("req_relay_404")
  await expect(page.getByRole("article")).not.toContainText("decided or withdrawn elsewhere")
  await page.reload()
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved")
  expect(await approvalOf(desk, workId, id)).toMatchObject({ version: 2, resolution_comment: "Still wanted" })
})

test("the focus stays in the card: after `Show version`, and when an answer ends as unknown", async ({
  page,
  desk,
  relay,
}) => {
  const work = await createQuietWork(desk)
  const id = addAttention(desk, work.id)
  await openItem(page, "/needs-you", "Two rows share invoice 4417")
  const box = page.getByRole("textbox", { name: "Your answer" })
  await expect(box).toBeVisible()
  const focusIsInCard = () =>
    page.evaluate(() => {
      const { activeElement: active } = document
      return active !== null && active !== document.body && active.closest("[data-pane]") !== null
    })
  revise(desk, "attention", id, { what_happened: "Now three rows do." })
  const show = page.getByRole("button", { name: "Show version 2" })
  await expect(show).toBeVisible({ timeout: 30_000 })
  await show.focus()
  await page.keyboard.press("Enter")
  await expect(show).toHaveCount(0)
  await expect.poll(focusIsInCard).toBe(true)
  await box.fill("Keep the first")
  relay.fail("POST", RESOLVE, { kind: "lose-answer" }, 1)
  const send = page.getByRole("button", { name: "Send answer" })
  await expect(send).toBeEnabled()
  await send.focus()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")
  await expect.poll(focusIsInCard).toBe(true)
})

test("after a 412, the alert about the version before goes where a still newer version is shown", async ({
  page,
  desk,
}) => {
  const { id } = await openApproval(page, desk)
  await readToTheEnd(page)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  revise(desk, "approval", id, { subject: "The second subject" })
  await page.getByRole("textbox", { name: "Comment" }).fill("As agreed")
  await page.getByRole("button", { name: "Confirm approve" }).click()
  await expect(page.getByRole("alert")).toContainText("the current version is 2")
  const card = page.getByRole("article")
  await expect(card).toContainText("version 2")
  revise(desk, "approval", id, { subject: "The third subject" })
  await page.getByRole("button", { name: "Show version 3" }).click({ timeout: 40_000 })
  await expect(card.getByRole("insertion")).toContainText("The third subject")
  await expect(card.getByRole("deletion")).toContainText("The second subject")
  await expect(page.getByRole("alert")).toHaveCount(0)
  await readToTheEnd(page)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("As agreed")
})

test("429 and 503: a countdown, and then only the person sends it again, under the same key", async ({
  page,
  desk,
  relay,
}) => {
  await openApproval(page, desk)
  const refusal = { kind: "refuse", code: "WAIT", headers: { "retry-after": "3" } } as const
  relay.fail("POST", RESOLVE, { ...refusal, status: 429 }, 1)
  relay.fail("POST", RESOLVE, { ...refusal, status: 503 }, 1)
  await decide(page, "approve", "In time")
  const alert = page.getByRole("alert")
  const again = alert.getByRole("button", { name: "Send again" })
  for (const status of [429, 503]) {
    await expect(alert).toContainText(`req_relay_${status}`)
    await expect(alert).toContainText(/You can send it in [1-3] s/)
    await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeDisabled()
    const sent = relay.mutations().length
    // A click before that does nothing.
    await again.click({ force: true })
    await expect(again).not.toHaveAttribute("aria-disabled", "true")
    expect(relay.mutations()).toHaveLength(sent)
    await again.click()
  }
  await expect(page.getByRole("article")).toContainText("Approved")
  const [first, second, third] = relay.mutations()
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(3000)
  expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(3000)
  expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
  expect(relay.mutations()).toHaveLength(3)
})

test("a page that is closed while it sends leaves an unknown outcome, which the person sends again with one effect", async ({
  page,
  context,
  desk,
  relay,
}) => {
  const { id, workId } = await openApproval(page, desk)
  relay.fail("POST", RESOLVE, { kind: "hold" }, 1)
  await decide(page, "approve", "Once")
  await expect.poll(() => relay.mutations()[0]?.status).toBe(200)
  const address = page.url()
  // A page that is only reloaded may still see its request fail. A page that dies sees nothing.
  await page.goto("chrome://crash").catch(() => undefined)
  const next = await context.newPage()
  await next.goto(address)
  await expect(next.getByRole("alert")).toContainText("Outcome unknown")
  expect(relay.mutations()).toHaveLength(1)
  await next.getByRole("button", { name: "Send again" }).click()
  const recorded = next.getByRole("article").filter({ hasText: "already recorded" })
  await expect(recorded).toContainText("Once")
  expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
  expect(await approvalOf(desk, workId, id)).toMatchObject({ version: 2, resolution_comment: "Once" })
})
