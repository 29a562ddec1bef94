import type { Browser, Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { QUESTION, approvalOf, createQuietWork, decide, openApproval, openItem, RESOLVE } from "./inbox-verbs.ts"
import { changeAccess, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention, restoreApproval, revise } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/*
 * A click or a key does what the screen said when the person began to move.
 */

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const activeTag = (page: Page) => page.evaluate(() => document.activeElement?.tagName)
const everybody = { reader: ["anyone"], answerer: ["anyone"], delegator: ["anyone"], approver: ["anyone"] }

/** Types into fields that somebody else ends, and expects that the rest of the text does nothing. */
async function typeIntoVanishingFields(page: Page, desk: Desk): Promise<void> {
  const sent: string[] = []
  page.on("request", (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== "GET" && !["/desk/presence", "/desk/session/touch", "/desk/seen"].includes(pathname))
      sent.push(pathname)
  })
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  const first = addApproval(desk, work.id, { summary: "The first request" })
  addApproval(desk, work.id, { summary: "The second request" })
  await page.goto(`/work/${work.id}`)
  const box = page.getByRole("textbox", { name: "Your answer" })
  await box.click()
  await page.keyboard.type("At la")
  await desk.owner.answer(work.id, "Theirs")
  await expect(box).toHaveCount(0, { timeout: 30_000 })
  await page.keyboard.type("st ad ts")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  expect(await activeTag(page)).toBe("H3")

  await page.keyboard.press("Tab")
  const card = page.getByRole("article").filter({ hasText: "The first request" })
  await card.getByRole("button", { name: "Decline", exact: true }).click()
  await page.keyboard.type("Not")
  revise(desk, "approval", first, { status: "approved" })
  // The Work's stream has no event for what the test wrote into the store. The page reads the list again.
  await page.evaluate(() => dispatchEvent(new Event("visibilitychange")))
  await expect(page.getByRole("dialog")).toHaveCount(0, { timeout: 40_000 })
  await page.keyboard.type(" ad d")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  expect(await activeTag(page)).not.toBe("BODY")
  expect(sent).toEqual([])
  // The person moves the focus: from then on the keys act again.
  await page.getByRole("heading", { name: "The second request" }).click()
  await expect(button(page, "Decline")).toBeEnabled()
  await page.keyboard.press("d")
  await expect(page.getByRole("dialog")).toBeVisible()
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("")
}

test("the rest of a text whose field has gone presses no key and no button", ({ page, desk }) => {
  test.slow()
  return typeIntoVanishingFields(page, desk)
})

test("an approval that is pending again after the service was restored can be decided again", async ({
  page,
  desk,
}) => {
  const { id, workId } = await openApproval(page, desk)
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved")
  restoreApproval(desk, id)
  await page.reload()
  await expect(button(page, "Approve")).toBeEnabled()
  await decide(page, "decline", "Not again")
  await expect(page.getByRole("article")).toContainText("Declined")
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "declined" })
})

test("a key in a comment does not examine the letter again", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  const keyTime = async (body: string, summary: string) => {
    addApproval(desk, work.id, { body, summary })
    await openItem(page, "/approvals", summary)
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await button(page, "Decline").click()
    await page.getByRole("textbox", { name: "Comment" }).focus()
    const median = await page.evaluate(async () => {
      const times: number[] = []
      for (let key = 0; key < 9; key++) {
        const begin = performance.now()
        document.execCommand("insertText", false, "x")
        // React has drawn the change before the next task.
        await new Promise((resolve) => setTimeout(resolve))
        times.push(performance.now() - begin)
      }
      return times.sort((one, other) => one - other)[4] ?? Number.NaN
    })
    await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("xxxxxxxxx")
    return median
  }
  const short = await keyTime("A line of the letter.", "A short letter")
  const long = await keyTime("A line of the letter, of some words.\n".repeat(4_000), "A long letter")
  // Both take the same time. With a look at the letter for each key the long one takes twenty times as long.
  expect(long).toBeLessThan(8 * short)
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  /** An approval that two people must approve: open for Ada Lovelace in `page`, and for Ben Okafor in `other`. */
  async function approvalForTwo(page: Page, browser: Browser, desk: Desk) {
    await changeAccess(desk, () => ({ roles: everybody, rules: [{ destination: "*", approvalsNeeded: 2 }] }))
    const work = await createQuietWork(desk)
    const id = addApproval(desk, work.id, { summary: "The payroll" })
    await signInAs(page, "Ada Lovelace", `/approvals?item=${id}`)
    await expect(page.getByRole("region", { name: "Before you decide" })).toContainText("Two people must approve.", {
      timeout: 20_000,
    })
    const other = await (await browser.newContext({ baseURL: desk.url })).newPage()
    await signInAs(other, "Ben Okafor", `/approvals?item=${id}`)
    return { other, work, id }
  }

  test("the rest of a text whose field has gone takes nothing and sends nothing", async ({ page, desk }) => {
    test.slow()
    await changeAccess(desk, () => ({ roles: everybody, rules: [] }))
    await signInAs(page, "Ada Lovelace")
    await typeIntoVanishingFields(page, desk)
  })

  test("an error of Take it goes when Bring back is pressed", async ({ page, desk }) => {
    await changeAccess(desk, () => ({ roles: everybody, rules: [] }))
    const work = await createQuietWork(desk)
    addAttention(desk, work.id)
    await signInAs(page, "Ada Lovelace", "/needs-you")
    const item = page.getByRole("link", { name: QUESTION })
    await item.click({ timeout: 20_000 })
    await button(page, "Set aside").click()
    await button(page, "In an hour").click()
    await page.getByText("Set aside (1)").click()
    await item.click()
    await page.route("**/desk/assignment", (route) => route.abort())
    await button(page, "Take it").click()
    await expect(page.getByRole("alert")).toBeVisible()
    await button(page, "Bring back").click()
    await expect(button(page, "Set aside")).toBeVisible()
    await expect(page.getByRole("alert")).toHaveCount(0)
  })

  test("the card of a refused decision still shows who has the item", async ({ page, desk, relay }) => {
    await changeAccess(desk, () => ({ roles: everybody, rules: [] }))
    const work = await createQuietWork(desk)
    const id = addApproval(desk, work.id)
    await signInAs(page, "Ada Lovelace", `/approvals?item=${id}`)
    await button(page, "Take it").click()
    const card = page.getByRole("article")
    await expect(card).toContainText("Taken by Ada Lovelace")
    relay.fail("POST", RESOLVE, { kind: "refuse", status: 403, code: "FORBIDDEN" })
    await decide(page, "decline")
    await expect(button(page, "Decline")).toHaveCount(0)
    await expect(card).toContainText("Taken by Ada Lovelace")
  })

  test("an approve that was to stay at the desk is not sent when another person approves in the same frame", async ({
    page,
    browser,
    desk,
  }) => {
    test.slow()
    const { other, work, id } = await approvalForTwo(page, browser, desk)
    await button(page, "Approve").click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: "Comment" }).fill("For the desk alone")
    await expect(dialog).toContainText("Your comment stays at this desk")
    await expect(button(page, "Confirm approve")).toBeEnabled()
    // Clicks in the very frame in which the page has taken in that another person approved.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        if (!document.body.textContent.includes("Your approval is the last")) return
        observer.disconnect()
        const confirm = [...document.querySelectorAll("button")].find((each) => each.textContent === "Confirm approve")
        confirm?.click()
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await decide(other, "approve")
    await expect(dialog).toContainText("This changed while you had it open.")
    await expect(dialog).toContainText("Your decision and comment will be sent")
    expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "pending" })
    await button(page, "Confirm approve").click()
    await expect(page.getByRole("article")).toContainText("Approved")
    expect(await approvalOf(desk, work.id, id)).toMatchObject({
      status: "approved",
      resolution_comment: "For the desk alone",
    })
  })

  test("the desk refuses to send an approve of which the screen said that the desk keeps it", async ({
    page,
    browser,
    desk,
  }) => {
    test.slow()
    const { other, work, id } = await approvalForTwo(page, browser, desk)
    await button(other, "Approve").click()
    await expect(button(other, "Confirm approve")).toBeEnabled()
    await button(page, "Approve").click()
    await page.getByRole("dialog").getByRole("textbox", { name: "Comment" }).fill("For the desk alone")
    await expect(button(page, "Confirm approve")).toBeEnabled()
    // This page is so busy that it receives the other approve only after the click.
    const clicked = page.evaluate(() => {
      const end = performance.now() + 4_000
      while (performance.now() < end);
      ;[...document.querySelectorAll("button")].find((each) => each.textContent === "Confirm approve")?.click()
    })
    await button(other, "Confirm approve").click()
    await expect(other.getByRole("article")).toContainText("Approved by you")
    await clicked
    await expect(page.getByRole("alert")).toContainText("Others have already approved")
    expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "pending" })
  })
})
