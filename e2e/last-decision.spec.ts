import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, openItem, readToTheEnd, RESOLVE } from "./inbox-verbs.ts"
import { changeAccess, everybodyMay, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/* The line above the card: what was decided last, and what comes next. */

const heading = (page: Page) => page.getByRole("article").getByRole("heading", { level: 2 })
const line = (page: Page, word: string) => page.getByRole("main").getByRole("status").filter({ hasText: word })

/** Creates one Work with these requests. The page lists them in this order. */
async function addRequests(desk: Desk, ...names: readonly string[]): Promise<void> {
  const work = await createQuietWork(desk)
  for (const name of names) addApproval(desk, work.id, { summary: `The ${name} request` })
}

test("after a decision the next item takes the place of the decided one, and a line names the decision", async ({
  page,
  desk,
}) => {
  await addRequests(desk, "first", "second", "third")
  await openItem(page, "/approvals", "The second request")
  const top = async () => (await heading(page).boundingBox())?.y
  await expect(page.getByText("2 of 3", { exact: true })).toBeVisible()
  const before = await top()
  await decide(page, "approve", "Agreed")
  await expect(heading(page)).toHaveText("The third request")
  await expect(line(page, "Approved")).toHaveText("Approved · The second request · Can't be undone · Open")
  await expect(page.getByRole("article")).toHaveCount(1)
  expect(await top()).toBe(before)
  await decide(page, "decline")
  // There is no row below the last one, so the first one is opened.
  await expect(heading(page)).toHaveText("The first request")
  await expect(line(page, "Declined")).toContainText("The third request")

  await line(page, "Declined").getByRole("link", { name: "Open" }).click()
  await expect(heading(page)).toHaveText("The third request")
  await expect(page.getByRole("article")).toContainText("Declined")
  await page.getByRole("link", { name: "The first request" }).click()
  await expect(page.getByRole("article").getByRole("button", { name: "Decline" })).toBeEnabled()
})

test("previous and next choose the neighbours, and end at the ends", async ({ page, desk }) => {
  await addRequests(desk, "first", "second", "third")
  await openItem(page, "/approvals", "The second request")
  const step = (name: string) => page.getByRole("button", { name, exact: true })
  await step("Next").click()
  await expect(heading(page)).toHaveText("The third request")
  await expect(step("Next")).toBeDisabled()
  await expect(page.getByText("3 of 3", { exact: true })).toBeVisible()
  await step("Previous").click()
  await expect(heading(page)).toHaveText("The second request")
})

test("an unknown outcome keeps its line whatever is shown, and opens no other item until it is known", async ({
  page,
  desk,
  relay,
}) => {
  await addRequests(desk, "first", "second")
  await openItem(page, "/approvals", "The first request")
  relay.fail("POST", RESOLVE, { kind: "lose-answer" }, 1)
  await decide(page, "approve")
  await expect(page.getByRole("alert")).toContainText("Outcome unknown")
  await expect(line(page, "Outcome unknown")).toHaveText("Outcome unknown · The first request · Open")
  await expect(heading(page)).toHaveText("The first request")
  await page.keyboard.press("j")
  await expect(heading(page)).toHaveText("The second request")
  await decide(page, "decline")
  await expect(line(page, "Outcome unknown")).toBeVisible()
  await page.reload()
  await line(page, "Outcome unknown").getByRole("link", { name: "Open" }).click()
  await page.getByRole("button", { name: "Send again" }).click()
  await expect(line(page, "Approved")).toContainText("The first request")
  await expect(line(page, "Outcome unknown")).toHaveCount(0)
})

test("a person who moves on while a decision is sent is not moved again", async ({ page, desk, relay }) => {
  await addRequests(desk, "first", "second", "third")
  await openItem(page, "/approvals", "The first request")
  relay.fail("POST", RESOLVE, { kind: "hold" })
  await decide(page, "approve")
  await expect(page.getByRole("status").filter({ hasText: "Sending" })).toBeVisible()
  for (let key = 0; key < 2; key++) await page.keyboard.press("j")
  await expect(heading(page)).toHaveText("The third request")
  await expect.poll(() => relay.mutations()[0]?.status).toBe(200)
  relay.release()
  await expect(line(page, "Approved")).toContainText("The first request")
  await expect(heading(page)).toHaveText("The third request")
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("an approve that waits for a second person opens the next item, too", async ({ page, desk }) => {
    await changeAccess(desk, () => ({ ...everybodyMay(), rules: [{ approvalsNeeded: 2 }] }))
    await addRequests(desk, "first", "second")
    await signInAs(page, "Ada Lovelace", "/approvals")
    await page.getByRole("link", { name: "The first request" }).click()
    await expect(page.getByRole("region", { name: "Before you decide" })).toContainText("Two people must approve.", {
      timeout: 20_000,
    })
    await readToTheEnd(page)
    await decide(page, "approve")
    await expect(heading(page)).toHaveText("The second request")
    await expect(line(page, "Approved by you")).toHaveText(
      "Approved by you · The first request · One more approval is needed · Open",
    )
  })
})
