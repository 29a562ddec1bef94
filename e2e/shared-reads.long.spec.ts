import { expect, test } from "./fixtures.ts"
import { createQuietWork, openItem } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"

test("an approvals tab and a Work's tab share what they read of the Work: one of them polls for both", async ({
  page,
  context,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The only request" })
  await openItem(page, "/approvals", "The only request")
  const other = await context.newPage()
  await other.goto(`/work/${work.id}`)
  await expect(other.getByRole("region", { name: "Approvals" })).toContainText("The only request")
  const reads = new Map([page, other].map((tab) => [tab, 0]))
  context.on("request", (request) => {
    const tab = request.frame().page()
    if (request.url().endsWith(`${work.id}/approvals`)) reads.set(tab, (reads.get(tab) ?? 0) + 1)
  })
  // Two rounds: each tab on its own would have read once by then.
  await expect.poll(() => [...reads.values()].reduce((a, b) => a + b, 0), { timeout: 50_000 }).toBeGreaterThanOrEqual(2)
  expect([...reads.values()].filter((count) => count > 0)).toHaveLength(1)
})
