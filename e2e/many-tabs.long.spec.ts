import { createWork, expect, test } from "./fixtures.ts"
import { addApproval } from "./revise.ts"
import { badgeOf, expectOneRequestOf } from "./waiting-tabs.ts"
import { readToTheEnd, createQuietWork } from "./inbox-verbs.ts"

test("seven tabs on seven Works that never fall silent: an approval is still answered", async ({
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

  await readToTheEnd(page)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByRole("button", { name: "Confirm approve" }).click()
  // A browser opens six connections to an address. If streams held them all, the answer would never come.
  await expect(page.getByRole("region", { name: "Approvals" })).toContainText("Approved")
})

test("ten tabs send one request; when the tab that holds it closes, another takes over at once", async ({
  page,
  context,
  desk,
}) => {
  await expectOneRequestOf(10, { page, context, desk })
})

test("while the tab that asks the desk is blocked by a dialog, a visible tab asks by itself", async ({
  page,
  context,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The first request" })
  await page.goto("/work")
  await expect(badgeOf(page)).toHaveText("Approvals 1")
  const other = await context.newPage()
  // Playwright's own clock would move the time of every tab, and a blocked tab does not answer it.
  await other.addInitScript(() => {
    const now = performance.now.bind(performance)
    let passed = 0
    performance.now = () => now() + passed
    addEventListener("later", () => {
      passed += 41_000
      dispatchEvent(new Event("focus"))
    })
  })
  await other.goto("/work")
  await expect(badgeOf(other)).toHaveText("Approvals 1")
  // A tab with an open dialog runs no code, and keeps its lock.
  const dialog = page.waitForEvent("dialog")
  void page.evaluate(() => alert("Blocked")).catch(() => undefined)
  const open = await dialog
  addApproval(desk, work.id, { summary: "The second request" })
  await other.evaluate(() => dispatchEvent(new Event("later")))
  await expect(badgeOf(other)).toHaveText("Approvals 2")
  addApproval(desk, work.id, { summary: "The third request" })
  await expect(badgeOf(other)).toHaveText("Approvals 3")
  await open.accept()
  await expect(badgeOf(page)).toHaveText("Approvals 3")
  addApproval(desk, work.id, { summary: "The fourth request" })
  for (const tab of [page, other]) await expect(badgeOf(tab)).toHaveText("Approvals 4")
})
