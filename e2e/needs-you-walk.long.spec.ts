import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, openApproval, QUESTION } from "./inbox-verbs.ts"
import { changeAccess, everybodyMay, navigation, openAs, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const rows = (page: Page) => page.getByRole("main").locator("[data-row]")
const back = (page: Page) => page.getByRole("link", { name: "Back to the list" })

/** Expects that a finger can hit each control on the screen: each is 44 px high and wide. The facts above a letter are lines of a text. */
async function expectTargets(page: Page, where: string): Promise<void> {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll("button, summary, select, input, textarea, nav a, [data-row]")].flatMap((each) => {
      const { width, height } = each.getBoundingClientRect()
      const isFact = each.matches("[aria-label='Before you decide'] summary")
      const isShown = each.checkVisibility({ visibilityProperty: true }) && width > 1 && !isFact
      const isSmall = Math.min(width, height) < 43.5
      return isShown && isSmall ? `${each.outerHTML.slice(0, 120)}: ${String(width)} x ${String(height)}` : []
    }),
  )
  expect(small, where).toEqual([])
}

test.describe("with a finger", () => {
  test.use({ ...PHONE, deskOptions: { people: true } })

  test("a phone's day with taps alone: read, approve, answer, take, set aside, ask for a change", async ({
    page,
    browser,
    desk,
  }) => {
    test.slow()
    await changeAccess(desk, everybodyMay)
    const work = await createQuietWork(desk)
    addAttention(desk, work.id, { title: `${QUESTION}. What now: keep, drop or ask?` })
    for (const summary of ["The first request", "The second request", "The third request"])
      addApproval(desk, work.id, { summary, body: "A line of the letter.\n\n".repeat(60) })
    await signInAs(page, "Ada Lovelace", "/work")
    await navigation(page)
      .getByRole("link", { name: /^Needs You/ })
      .tap()
    await expect(rows(page)).toHaveCount(4, { timeout: 20_000 })
    await expectTargets(page, "the list")

    await rows(page).filter({ hasText: "The first request" }).tap()
    await expect(button(page, "Decline")).toBeEnabled()
    await expectTargets(page, "the letter")
    await expect(async () => {
      if (await button(page, "Read to the end").isVisible()) await button(page, "Read to the end").tap({ timeout: 500 })
      await expect(button(page, "Approve")).toBeEnabled({ timeout: 700 })
    }).toPass()
    await button(page, "Approve").tap()
    await expect(button(page, "Confirm approve")).toBeEnabled()
    await expectTargets(page, "the dialog")
    await button(page, "Confirm approve").tap()
    await expect(page.getByRole("status").filter({ hasText: "The first request" })).toContainText("Approved")

    await expect(page.getByRole("heading", { name: "The second request" })).toBeVisible()
    await page.locator("summary", { hasText: "More" }).tap()
    await button(page, "Take it").tap()
    await expect(page.getByRole("article")).toContainText("Taken by Ada Lovelace")
    await expectTargets(page, "the actions")
    await button(page, "Set aside").tap()
    await expectTargets(page, "Set aside")
    await button(page, "In an hour").tap()

    await expect(page.getByRole("heading", { name: "The third request" })).toBeVisible()
    await button(page, "Ask for a change").tap()
    await page.getByRole("textbox", { name: "What should be different?" }).fill("Address it to Ana")
    await button(page, "Confirm decline and ask for a change").tap()
    await expect(page.getByRole("status").filter({ hasText: "The third request" })).toContainText("Declined")

    await page.goto("/needs-you?kind=questions")
    await rows(page).first().tap()
    await button(page, "drop").tap()
    await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("drop")
    await expectTargets(page, "the question")
    await button(page, "Send answer").tap()
    await expect(page.getByRole("article")).toContainText("Answer recorded")
    await back(page).tap()
    await expect(page.getByRole("heading", { name: "No questions need you." })).toBeVisible()

    const dora = await openAs(browser, desk, "Dora Lind", "/overview")
    await button(dora, "Freeze…").click()
    await dora.getByRole("textbox", { name: "Reason" }).fill("It sends letters in a loop")
    await dora.getByRole("dialog").getByRole("button", { name: "Freeze", exact: true }).click()
    const banner = page.getByRole("main").getByRole("alert").first()
    await banner.getByRole("button", { name: "More" }).tap()
    await expect(banner).toContainText("It sends letters in a loop")
    await expectTargets(page, "the banner")
    await page.getByRole("navigation", { name: "Kinds" }).getByRole("link", { name: "All" }).tap()
    await page.getByText("Set aside (1)").tap()
    await page.getByRole("button", { name: /^Bring back/ }).tap()
    await expect(rows(page)).toHaveCount(1)
  })
})

for (const count of [0, 1, 12, 150, 500])
  test(`a screen reader's tree, keys and a low window with ${String(count)} items`, async ({ page, desk }) => {
    test.slow()
    const work = await createQuietWork(desk, "\u05E9\u05DC\u05D5\u05DD donaudampfschifffahrtsgesellschaft")
    for (let at = 1; at <= count; at++)
      addApproval(desk, work.id, {
        summary: `Request ${String(at)}. ${"donaudampfschifffahrt".repeat(4)} \u05E9\u05DC`,
      })
    const isRight = async (path: string) => {
      await page.goto(path)
      await expect(page).toHaveTitle(count === 0 ? /^Needs You/ : new RegExp(String.raw`^\(${String(count)}\) `))
      await expect(page.getByText("1 of 1 checked")).toBeVisible()
    }
    await isRight("/needs-you")
    await expect(page.getByRole("main")).toMatchAriaSnapshot(`
      - main:
        - heading "Needs You" [level=1]
        - navigation "Kinds":
          - link "All"
          - link "Questions"
          - link "Approvals"
        - searchbox "Find words"
    `)
    await expect(navigation(page).getByRole("link", { name: "Needs You" })).toHaveAccessibleName(
      count === 0 ? "Needs You" : `Needs You ${String(count)}`,
    )
    if (count === 0) {
      await expect(page.getByRole("main")).toMatchAriaSnapshot(`
        - main:
          - heading "Nothing needs you." [level=2]
          - paragraph:
            - link "All Work"
      `)
      return
    }
    const list = page.getByRole("list", { name: "Needs You" })
    await expect(list).toMatchAriaSnapshot(`
      - list "Needs You":
        - listitem:
          - link /Request 1\\. .*Approval · .*/
    `)
    const first = list.getByRole("listitem").first()
    if (count > 100) await expect(first).toHaveAttribute("aria-setsize", String(count))
    await expect.poll(() => list.getByRole("listitem").count()).toBeLessThan(60)

    await page.keyboard.press("j")
    await expect(page.getByRole("heading", { name: "Request 1." })).toBeVisible()
    await expect(page.getByText(`1 of ${String(count)}`, { exact: true })).toBeVisible()
    await expect(page.getByRole("article")).toMatchAriaSnapshot(`
      - article /Request 1\\./:
        - heading /Request 1\\./ [level=2]
        - button "Set aside"
        - button "Copy link"
        - region "Before you decide":
          - list:
            - listitem
        - button "Approve"
        - button "Decline"
        - button "Ask for a change"
    `)

    await page.setViewportSize({ width: 320, height: 256 })
    await isRight("/needs-you")
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
    await page.keyboard.press("j")
    await expect(page.getByRole("heading", { name: "Request 1." })).toBeInViewport()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

test("the letter stays where it is read when a banner comes", async ({ page, desk }) => {
  await openApproval(page, desk)
  await expect(button(page, "Approve")).toBeEnabled()
  // The code of the banners comes after what the page needs first.
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some(({ name }) => name.includes("banners")),
  )
  const topOf = async () => (await page.getByText("Dear Ms Oyelaran").boundingBox())?.y
  const before = await topOf()
  await page.context().setOffline(true)
  await expect(page.getByText("You're offline")).toBeInViewport()
  expect(await topOf()).toBe(before)
  await page.context().setOffline(false)
  await expect(page.getByText("You're offline")).toHaveCount(0)
  expect(await topOf()).toBe(before)
})
