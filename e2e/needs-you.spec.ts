import type { Page } from "@playwright/test"
import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { createQuietWork, decide, QUESTION, SUMMARY } from "./inbox-verbs.ts"
import { changeAccess, navigation, openAs, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

const kinds = (page: Page) => page.getByRole("navigation", { name: "Kinds" })
const rows = (page: Page) => page.locator("[data-row]")
const heading = (page: Page) => page.getByRole("heading", { level: 1 })

/** Creates a quiet Work with a question and an approval. @returns the query of the address of each */
async function createBoth(desk: Desk) {
  const work = await createQuietWork(desk)
  const question = addAttention(desk, work.id)
  const approval = addApproval(desk, work.id, { summary: SUMMARY })
  const addressOf = (id: string) => `item=${id}&work=${work.id}`
  return { work, question: addressOf(question), approval: addressOf(approval) }
}

test("one page lists questions and approvals, and its tabs each kind", async ({ page, desk }) => {
  await createBoth(desk)
  await page.goto("/needs-you")
  await expect(heading(page)).toHaveText("Needs You")
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).filter({ hasText: /Question · / })).toContainText(QUESTION)
  await expect(rows(page).filter({ hasText: /Approval · / })).toContainText(SUMMARY)
  await expect(kinds(page).getByRole("link")).toHaveText(["All", "Questions", "Approvals"])
  await expect(kinds(page).getByRole("link", { name: "All" })).toHaveAttribute("aria-current", "page")
  await expectAccessible(page)

  await page.keyboard.press("j")
  await expect(page.getByRole("textbox", { name: "Your answer" })).toBeVisible()
  await page.keyboard.press("j")
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/needs-you\?item=/)

  await kinds(page).getByRole("link", { name: "Questions" }).click()
  await expect(page).toHaveURL(/\/needs-you\?kind=questions$/)
  await expect(heading(page)).toHaveText("Needs You")
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(QUESTION)
  await kinds(page).getByRole("link", { name: "Approvals" }).click()
  await expect(page).toHaveURL(/\/approvals$/)
  await expect(heading(page)).toHaveText("Approvals")
  await expect(rows(page)).toHaveCount(1)
  await expect(rows(page)).toContainText(SUMMARY)
  await expect(kinds(page).getByRole("link", { name: "Approvals" })).toHaveAttribute("aria-current", "page")
})

test("a tab keeps the filters that its kind has", async ({ page, desk }) => {
  await createBoth(desk)
  await page.goto("/needs-you?q=renewal&to=nobody%40example.org&group=destination")
  await kinds(page).getByRole("link", { name: "Questions" }).click()
  await expect(page).toHaveURL(/\/needs-you\?kind=questions&q=renewal$/)
  await expect(rows(page)).toHaveCount(1)
})

test("every address of an item opens it, whatever the page lists, and even after its decision", async ({
  page,
  desk,
}) => {
  const { question, approval } = await createBoth(desk)
  for (const inbox of ["/needs-you?", "/needs-you?kind=questions&", "/approvals?"]) {
    await page.goto(inbox + question)
    await expect(page.getByRole("textbox", { name: "Your answer" })).toBeVisible()
    await page.goto(inbox + approval)
    await expect(page.getByRole("button", { name: "Decline", exact: true })).toBeVisible()
  }
  await page.goto(`/approvals?${approval}`)
  await decide(page, "decline")
  await expect(page.getByRole("main")).toContainText("Declined")
  await page.evaluate(() => localStorage.clear())
  await page.goto(`/needs-you?${approval}`)
  await expect(page.getByRole("article")).toContainText("Declined")
})

test("nothing left: the page says so, and lists the Work that was done since the last visit", async ({
  page,
  browser,
  desk,
}) => {
  await page.goto("/needs-you")
  await expect(page.getByRole("heading", { name: "Nothing needs you." })).toBeVisible()
  await expect(page.getByRole("link", { name: "All Work" })).toHaveAttribute("href", "/work")
  const { id } = await createWork(desk, { colleague_id: "editor", title: "The minutes" })
  // The desk knows the Work before it ends.
  await expect(rows(page)).toHaveText([/The minutes/])
  await desk.owner.answer(id, "Go on")
  await desk.owner.waitForStatus(id, "done")
  const done = (each: Page) => each.getByRole("heading", { name: "Done since your last visit" })
  await expect(async () => {
    await page.reload()
    await expect(done(page)).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: 30_000 })
  await expect(page.getByRole("main").getByRole("link", { name: /The minutes/ })).toHaveAttribute("href", `/work/${id}`)
  await expectAccessible(page)
  // What the person has seen is not listed, in another browser either.
  const other = await browser.newPage({ baseURL: desk.url })
  await other.goto("/needs-you")
  await expect(done(other)).toBeVisible()
  const seen = page.waitForResponse(
    (response) => response.request().method() === "POST" && response.url().endsWith("/desk/seen"),
  )
  await page
    .getByRole("main")
    .getByRole("link", { name: /The minutes/ })
    .click()
  await seen
  await other.reload()
  await expect(other.getByRole("heading", { name: "Nothing needs you." })).toBeVisible()
  await expect(done(other)).toHaveCount(0)
  await other.close()
})

test.describe("with sign-in", () => {
  test.use({ deskOptions: { people: true } })

  test("a reader sees items that wait for others, in the inbox, in the list of Work and on the page of the Work", async ({
    page,
    browser,
    desk,
  }) => {
    await changeAccess(desk, () => ({ roles: { reader: ["anyone"], approver: ["group:finance"] }, rules: [] }))
    const work = await createQuietWork(desk, "The renewal")
    addApproval(desk, work.id, { summary: SUMMARY })
    await signInAs(page, "Ben Okafor", "/needs-you")
    await expect(page.getByRole("heading", { name: "Nothing needs you." })).toBeVisible()
    await expect(page.getByText("1 waits for others"), "said once").toHaveCount(0)
    await page.getByRole("link", { name: "1 item waits for others" }).click()
    await expect(page.getByText("Waiting for others (1)")).toBeFocused()
    await expect(page.getByRole("link", { name: SUMMARY })).toBeVisible()
    await expectAccessible(page)

    const ada = await openAs(browser, desk, "Ada Lovelace", "/needs-you")
    await expect(rows(ada)).toHaveCount(1)
    for (const [reader, words] of [
      [page, "Waiting for a decision"],
      [ada, "Needs You"],
    ] as const) {
      await navigation(reader).getByRole("link", { name: "Work", exact: true }).click()
      const row = reader.getByRole("main").getByRole("link", { name: /The renewal/ })
      await expect(row).toContainText(words)
      await expect(row).toContainText(`Approve: ${SUMMARY}`)
      const status = await row.getByText(words, { exact: true }).boundingBox()
      const title = await row.getByText("The renewal", { exact: true }).boundingBox()
      expect((status?.x ?? NaN) + (status?.width ?? NaN), "the status ends before the title").toBeLessThan(
        title?.x ?? NaN,
      )
      await row.click()
      await expect(reader.getByRole("main").getByText(words, { exact: true }).first()).toBeVisible()
    }
  })
})
