import { expect, test } from "./fixtures.ts"
import {
  answer,
  approvalOf,
  approvalToDecide,
  createQuietWork,
  decide,
  expectRequestId,
  openItem,
  SUMMARY,
} from "./inbox-verbs.ts"
import { addAttention } from "./revise.ts"

const resolve = /\/resolve$/

test.describe("a dashboard that waits four seconds for the service", () => {
  test.use({ deskOptions: { timeouts: { headers: 4_000 } } })

  test("a time-out is an unknown outcome too, and an answer is sent again under its key", async ({
    page,
    desk,
    relay,
  }) => {
    const work = await createQuietWork(desk)
    addAttention(desk, work.id)
    await openItem(page, "/needs-you", "Two rows share invoice 4417")
    relay.fail("POST", resolve, { kind: "hold" }, 1)
    await answer(page, "Keep the first")
    await expect(page.getByRole("alert")).toContainText("Outcome unknown")
    await expectRequestId(page)
    await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("Keep the first")
    await page.getByRole("button", { name: "Send again" }).click()
    await expect(page.getByRole("article")).toContainText("already recorded")
    expect(new Set(relay.mutations().map(({ key }) => key)).size).toBe(1)
  })
})

test("a clock that is set back during a wait does not delay the retry", async ({ page, desk, relay }) => {
  await approvalToDecide(desk)
  await openItem(page, "/approvals", SUMMARY)
  relay.fail("POST", resolve, { kind: "refuse", status: 429, code: "WAIT", headers: { "retry-after": "3" } }, 1)
  await decide(page, "approve", "In time")
  await expect(page.getByRole("alert")).toContainText(/tries again by itself in [1-3] s/)
  await page.evaluate(() => {
    const { now } = Date
    Date.now = () => now() - 60_000
  })
  await expect(page.getByRole("article")).toContainText("Approved")
})

test("a wait of a month is said in days, and ends with a question and not with a decision", async ({
  page,
  desk,
  relay,
}) => {
  await approvalToDecide(desk)
  await openItem(page, "/approvals", SUMMARY)
  relay.fail("POST", resolve, { kind: "refuse", status: 429, code: "WAIT", headers: { "retry-after": "3000000" } }, 1)
  await decide(page, "approve", "In a month")
  await expect(page.getByRole("alert")).toContainText(/It is not sent by itself\. You can send it in 3[45] days/)
  await page.getByRole("button", { name: "Do not send" }).click()
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  expect(relay.mutations()).toHaveLength(1)
})

test("the dashboard is restarted while a person decides: unknown, then sent again", async ({ page, desk, relay }) => {
  const { id, workId } = await approvalToDecide(desk)
  await openItem(page, "/approvals", SUMMARY)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByRole("textbox", { name: "Comment" }).fill("Once")
  await expect(page.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
  await desk.stopDashboard()
  await page.getByRole("button", { name: "Confirm approve" }).click()
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")
  await desk.startDashboard()
  await page.getByRole("button", { name: "Send again" }).click()
  await expect(page.getByRole("article")).toContainText("Approved")
  expect(relay.mutations()).toHaveLength(1)
  expect(await approvalOf(desk, workId, id)).toMatchObject({ version: 2, resolution_comment: "Once" })
})
