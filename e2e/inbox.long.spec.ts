import { expect, test } from "./fixtures.ts"
import { createQuietWork, openItem } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"

test("items that are new since the last visit have a group of their own", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "Seen before" })
  await openItem(page, "/approvals", "Seen before")
  await page.goto("/work")
  addApproval(desk, work.id, { summary: "Not seen yet" })
  await page.goto("/approvals")
  await expect(page.getByRole("region", { name: "Earlier" }).getByRole("link")).toContainText("Seen before")
  await expect(page.getByRole("region", { name: "New" }).getByRole("link")).toContainText("Not seen yet")
})

test("what the service refuses is said with its Request ID, and the count says that it is not complete", async ({
  page,
  desk,
  relay,
}) => {
  for (const name of ["Alpha", "Beta", "Gamma"]) {
    const work = await createQuietWork(desk, name)
    addApproval(desk, work.id, { summary: `${name} request` })
  }
  const refusal = { kind: "refuse", status: 429, code: "RATE", headers: { "retry-after": "5" } } as const
  relay.fail("GET", /\/approvals/, refusal, 1)
  await page.goto("/approvals")
  const alert = page.getByRole("alert")
  await expect(alert).toContainText("req_relay_429")
  await expect(page).toHaveTitle(/^\(\d\+\)/)
  await expect(page.getByText("3 of 3 checked")).toBeVisible()
  await expect(alert).toHaveCount(0)
  await expect(page.getByRole("main").getByRole("link", { name: /request/ })).toHaveCount(3)
  await expect(page).toHaveTitle(/^\(3\)/)
})
