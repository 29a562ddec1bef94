import { expect, test } from "./fixtures.ts"
import { createQuietWork, createWithApproval, openItem, readToTheEnd, SUMMARY } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"
import { decideAboutLetter, outbox } from "./story-verbs.ts"

test("a letter can be read to its end in windows 150 and 260 px high", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  for (const height of [150, 260]) {
    const summary = `A letter in a window of ${String(height)} px`
    addApproval(desk, work.id, { summary, body: "A line of the letter.\n\n".repeat(40) })
    await page.setViewportSize({ width: 740, height })
    await openItem(page, "/approvals", summary)
    await expect(page.getByRole("button", { name: "Read to the end" })).toBeVisible()
    await readToTheEnd(page)
    await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  }
})

test.describe("the embedded service", () => {
  test.use({ deskOptions: { upstream: "embedded", service: { pace: 0.1 } } })

  test("declined, nothing is sent, and the Work says so", async ({ page, desk }) => {
    const work = await createWithApproval(desk, "Profile the orders and send the summary to weather@harbour.example")
    await page.goto(`/work/${work}`)
    await decideAboutLetter(page, "decline")
    await expect(page.getByText(/nothing was sent/i).first()).toBeVisible()
    expect(outbox(desk)).toEqual([])
  })
})

test("the comment is shared, kept by Cancel and a reload, and counted as the service counts", async ({
  page,
  desk,
  relay,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  await openItem(page, "/approvals", SUMMARY)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  const comment = page.getByRole("textbox", { name: "Comment" })
  await comment.fill("𝔞".repeat(2001))
  await expect(page.getByRole("dialog").getByRole("button", { name: "Confirm" })).toHaveAccessibleDescription(
    /1 character too many/,
  )
  await expect(page.getByRole("button", { name: "Confirm approve" })).toBeDisabled()
  await expect(comment).toHaveValue("𝔞".repeat(2001))
  await comment.fill("𝔞".repeat(2000))
  await page.getByRole("button", { name: "Cancel" }).click()
  await page.reload()
  await page.getByRole("button", { name: "Decline", exact: true }).click()
  await expect(comment).toHaveValue("𝔞".repeat(2000))
  await page.getByRole("button", { name: "Confirm decline" }).click()
  await expect(page.getByRole("article")).toContainText("Declined")
  expect(JSON.parse(relay.mutations()[0]?.body ?? "")).toEqual({ decision: "decline", comment: "𝔞".repeat(2000) })
})
