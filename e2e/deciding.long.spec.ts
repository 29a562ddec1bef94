import { expect, test } from "./fixtures.ts"
import { createQuietWork, createWithApproval, openItem } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"
import { decideAboutLetter, outbox } from "./story-verbs.ts"

test("a letter can be read to its end in windows 150 and 260 px high", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  for (const height of [150, 260]) {
    const summary = `A letter in a window of ${String(height)} px`
    addApproval(desk, work.id, { summary, body: "A line of the letter.\n\n".repeat(40) })
    await page.setViewportSize({ width: 740, height })
    await openItem(page, "/approvals", summary)
    await expect(page.getByText("Read to the end of the letter first")).toBeVisible()
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
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
