import { expect, test } from "./fixtures.ts"
import {
  readToTheEnd,
  RESOLVE,
  SUMMARY,
  approvalOf,
  approvalToDecide,
  decide,
  expectRequestId,
  openApproval,
  openItem,
} from "./inbox-verbs.ts"
import { revise } from "./revise.ts"

test("412: every changed field stands old beside new, the comment stays, and a fresh decision is needed", async ({
  page,
  desk,
  relay,
}) => {
  const { workId, id } = await openApproval(page, desk)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  const before = await approvalOf(desk, workId, id)
  const after = {
    summary: "Send the new letter",
    destination: "someone-else@halden.example",
    subject: "Another subject",
    body: "Another body.\nWith two lines.",
    requested_by_colleague: "another courier",
    risk: "Another risk",
    policy_reason: "Another policy",
    payload_hash: "sha256:another",
    action_id: "another_action",
  }
  revise(desk, "approval", id, after)
  await page.getByRole("textbox", { name: "Comment" }).fill("As agreed on Monday")
  await page.getByRole("button", { name: "Confirm approve" }).click()

  await expect(page.getByRole("alert")).toContainText("Nothing was recorded. What you typed is kept.")
  await expectRequestId(page)
  const card = page.getByRole("article")
  await expect(card.getByRole("heading", { name: after.summary })).toBeVisible()
  const olds = [
    before?.summary,
    before?.destination,
    before?.subject,
    before?.body,
    before?.requested_by_colleague,
    before?.risk,
    before?.policy_reason,
    before?.proposed_action_payload_hash,
    before?.action_id,
  ]
  for (const old of olds) await expect(card.getByRole("deletion").filter({ hasText: old ?? "-" })).toHaveCount(1)
  for (const now of Object.values(after))
    await expect(card.getByRole("insertion").filter({ hasText: now })).toHaveCount(1)
  await expect(card).toContainText("version 2")
  await expect(page.getByRole("button", { name: /^Show version/ })).toHaveCount(0)
  expect(relay.mutations()).toHaveLength(1)

  await page.reload()
  await expect(card.getByRole("deletion")).toHaveCount(9)
  await readToTheEnd(page)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("As agreed on Monday")
  await page.getByRole("button", { name: "Confirm approve" }).click()
  await expect(card).toContainText("Recorded bysa_demo")
  const [first, second] = relay.mutations()
  expect([first?.ifMatch, second?.ifMatch]).toEqual(['"1"', '"2"'])
  expect(first?.key).not.toBe(second?.key)
})

test("a newer version announces itself, and waits", async ({ page, desk }) => {
  const { id } = await openApproval(page, desk)
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  revise(desk, "approval", id, { subject: "Another subject" })
  const show = page.getByRole("button", { name: "Show version 2" })
  await expect(show).toBeVisible({ timeout: 30_000 })
  const card = page.getByRole("article")
  await expect(card).toContainText("Renewal of framework agreement")
  await expect(card).not.toContainText("Another subject")
  await expect(card).toContainText("Version1")
  await show.click()
  await expect(card.getByRole("deletion")).toContainText("Renewal of framework agreement")
  await expect(card.getByRole("insertion")).toContainText("Another subject")
  await readToTheEnd(page)
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
})

test("what is decided elsewhere becomes a tombstone that keeps what was typed", async ({ page, desk, relay }) => {
  const { workId } = await openApproval(page, desk)
  await page.getByRole("button", { name: "Decline", exact: true }).click()
  await page.getByRole("textbox", { name: "Comment" }).fill("Not like this")
  await page.getByRole("button", { name: "Cancel" }).click()
  await desk.owner.decide(workId, { decision: "approve", comment: "From another place" })
  const card = page.getByRole("article")
  await expect(card).toContainText("This was decided elsewhere", { timeout: 30_000 })
  await expect(card).toContainText("Approved")
  await expect(card).toContainText("From another place")
  await expect(card).toContainText("Not like this")
  await expect(card).toContainText("contracts@halden-logistics.example")
  await expect(page.getByRole("button", { name: /^(Approve|Decline)$/ })).toHaveCount(0)
  expect(relay.mutations()).toEqual([])
})

test("409: a tombstone says what is known, read-only, with the Request ID", async ({ page, desk, relay }) => {
  await openApproval(page, desk)
  relay.fail("POST", RESOLVE, { kind: "refuse", status: 409, code: "APPROVAL_RESOLVED" })
  await decide(page, "approve", "Mine")
  await expect(page.getByRole("alert")).toContainText("You can't decide it here")
  await expect(page.getByRole("article")).toContainText("Mine")
  await expect(page.getByRole("alert")).toContainText("req_relay_409")
  await expect(page.getByRole("button", { name: /^(Approve|Decline)$/ })).toHaveCount(0)
})

test("two tabs share one intent: one request, and both say so", async ({ page, context, desk, relay }) => {
  const { id, workId } = await approvalToDecide(desk)
  const other = await context.newPage()
  await openItem(page, "/approvals", SUMMARY)
  await other.goto(page.url())
  for (const tab of [page, other]) {
    await tab.bringToFront()
    await tab.getByRole("button", { name: "Approve", exact: true }).click()
  }
  await expect(page.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
  await expect(other.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
  relay.fail("POST", RESOLVE, { kind: "hold" })
  const press = () => document.querySelector<HTMLButtonElement>("dialog[open] button[data-autofocus]")?.click()
  await Promise.all([page, other].map((tab) => tab.evaluate(press)))
  await expect.poll(() => relay.mutations()[0]?.status).toBe(200)
  relay.heal()
  relay.release()
  for (const tab of [page, other]) await expect(tab.getByRole("article")).toContainText("Approved")
  expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
  expect(await approvalOf(desk, workId, id)).toMatchObject({ version: 2 })
})

test("a lost answer is an unknown outcome, and is sent again safely", async ({ page, desk, relay }) => {
  const { id, workId } = await openApproval(page, desk)
  relay.fail("POST", RESOLVE, { kind: "lose-answer" }, 1)
  await decide(page, "approve", "Once")
  const alert = page.getByRole("alert")
  await expect(alert).toContainText("Outcome unknown")
  await expectRequestId(page)
  await expect(page.getByRole("article")).not.toContainText("Approved")
  await alert.getByRole("button", { name: "Send again" }).click()
  await expect(page.getByRole("article")).toContainText("already recorded")
  const [first, second, ...more] = relay.mutations()
  expect(more).toEqual([])
  expect(second).toMatchObject({ key: first?.key, ifMatch: first?.ifMatch, body: first?.body })
  expect(await approvalOf(desk, workId, id)).toMatchObject({ version: 2 })
  await page.goto("/record")
  await expect(page.getByRole("listitem")).toHaveText([/Already recorded/, /Recorded/])
})

test("offline: unknown, and sent under the same key only when the person says so", async ({
  page,
  context,
  desk,
  relay,
}) => {
  await openApproval(page, desk)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await expect(page.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
  const keys: (string | undefined)[] = []
  page.on("request", (request) => {
    if (request.method() === "POST") keys.push(request.headers()["idempotency-key"])
  })
  await context.setOffline(true)
  await page.getByRole("button", { name: "Confirm approve" }).click()
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")
  await context.setOffline(false)
  // The app knows that the browser is online again once it reads what waits.
  await page.waitForResponse((response) => response.url().includes("/api/v1/work/"))
  expect(keys).toHaveLength(1)
  await page.getByRole("button", { name: "Send again" }).click()
  await expect(page.getByRole("article")).toContainText("Approved")
  expect(relay.mutations()).toHaveLength(1)
  expect(keys).toEqual([expect.any(String), keys[0]])
})
