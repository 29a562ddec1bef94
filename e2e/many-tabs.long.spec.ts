import { createWork, expect, test } from "./fixtures.ts"
import { addApproval } from "./revise.ts"
import { expectOneRequestOf } from "./waiting-tabs.ts"

test("seven tabs on seven Works that never fall silent: an approval still answers within a second", async ({
  context,
  desk,
  page,
}) => {
  const works = []
  for (let tab = 1; tab <= 7; tab++)
    works.push(await createWork(desk, { colleague_id: "metronome", objective: "rate=5", title: `Tab ${String(tab)}` }))
  const last = works.at(-1)
  if (last === undefined) throw new Error("no Work")
  addApproval(desk, last.id, {})
  for (const work of works.slice(0, -1)) {
    const tab = await context.newPage()
    await tab.goto(`${desk.url}/work/${work.id}`)
    await expect(tab.getByRole("heading", { level: 1 })).toHaveText(work.title)
  }
  await page.bringToFront()
  await page.goto(`/work/${last.id}`)
  await expect(page.getByRole("region", { name: "Activity" }).getByRole("status")).toHaveText(/^Live/)

  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByRole("button", { name: "Confirm approve" }).click()
  // A browser opens six connections to an address. If streams held them all, the answer would never come.
  await expect(page.getByRole("region", { name: "Approvals" })).toContainText("Approved", { timeout: 1_000 })
})

test("ten tabs send one request; when the tab that holds it closes, another takes over at once", async ({
  page,
  context,
  desk,
}) => {
  await expectOneRequestOf(10, { page, context, desk })
})
