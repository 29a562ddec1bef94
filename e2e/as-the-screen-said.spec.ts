import type { Browser, Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import {
  approvalOf,
  approvalToDecide,
  createQuietWork,
  decide,
  openItem,
  QUESTION,
  RESOLVE,
  SUMMARY,
} from "./inbox-verbs.ts"
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
    if (request.method() !== "GET" && !["/desk/presence", "/desk/session/touch"].includes(pathname)) sent.push(pathname)
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
  // The Work's stream tells nobody what the test wrote into the store. The page reads the list again.
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

test("a refusal for a rule or a role is shown for its version, and locks nobody out", async ({ page, desk, relay }) => {
  const { id } = await approvalToDecide(desk)
  await openItem(page, "/approvals", SUMMARY)
  for (const code of ["PROXY_RULE", "PROXY_ROLE_MISSING"]) {
    relay.fail("POST", RESOLVE, { kind: "refuse", status: 403, code }, 1)
    await decide(page, "approve", "Mine")
    await expect(page.getByRole("alert")).toContainText("req_relay_403")
    await expect(button(page, "Approve")).not.toHaveAttribute("aria-disabled", "true")
    await page.getByRole("alert").getByRole("button", { name: "Try again" }).click()
    await expect(page.getByRole("alert")).toHaveCount(0)
  }
  relay.fail("POST", RESOLVE, { kind: "refuse", status: 403, code: "PROXY_RULE" }, 1)
  await decide(page, "approve")
  await expect(page.getByRole("alert")).toContainText("req_relay_403")
  revise(desk, "approval", id, { subject: "Another subject" })
  await button(page, "Show version 2").click({ timeout: 40_000 })
  await expect(page.getByRole("article")).toContainText("This is version 2")
  await expect(page.getByRole("alert")).toHaveCount(0)
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved")
})

test("an approval that is pending again after the service was restored can be decided again", async ({
  page,
  desk,
}) => {
  const { id, workId } = await approvalToDecide(desk)
  await openItem(page, "/approvals", SUMMARY)
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved")
  restoreApproval(desk, id)
  await page.reload()
  await expect(button(page, "Approve")).toBeEnabled()
  await decide(page, "decline", "Not again")
  await expect(page.getByRole("article")).toContainText("Declined")
  expect(await approvalOf(desk, workId, id)).toMatchObject({ status: "declined" })
})

test("the browser keeps the outcome of a decision, and not the letter", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { body: "A line of the letter.\n".repeat(3_000) })
  await openItem(page, "/approvals", SUMMARY)
  await expect(page.getByText("Read to the end of the letter first")).toBeVisible()
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
  await decide(page, "approve", "Agreed")
  await expect(page.getByRole("article")).toContainText("Approved")
  const kept = () => page.evaluate(() => Object.values(localStorage).join("").length)
  expect(await kept()).toBeLessThan(5_000)
  await page.reload()
  await expect(page.getByRole("article")).toContainText("Approved")
  await expect(page.getByRole("article")).toContainText("Agreed")
})

test("a newer version is said in a region that was on the page before", async ({ page, desk }) => {
  const { id } = await approvalToDecide(desk)
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Approve")).toBeEnabled()
  const regions = await page.getByRole("article").locator("[role=status]").elementHandles()
  revise(desk, "approval", id, { subject: "Another subject" })
  await expect(button(page, "Show version 2")).toBeVisible({ timeout: 30_000 })
  const said = await Promise.all(regions.map((region) => region.textContent()))
  expect(said.join(" ")).toContain("There is a newer version")
})

test("a key in a comment does not examine the letter again", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  const keyTime = async (body: string, summary: string) => {
    addApproval(desk, work.id, { body, summary })
    await openItem(page, "/approvals", summary)
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await button(page, "Decline").click()
    await expect(page.getByRole("textbox", { name: "Comment" })).toBeFocused()
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

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("the bar names its letter, arms anew for another letter, and covers no text", async ({ page, desk }) => {
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { summary: "The first request", body: "A line.\n\n".repeat(60) })
    addApproval(desk, work.id, { summary: "The second request", body: "A line.\n\n".repeat(60) })
    await page.goto(`/work/${work.id}`)
    const cards = page.getByRole("article")
    await expect(cards).toHaveCount(2)
    for (const at of [0, 1]) {
      await cards.nth(at).getByText("Payload").scrollIntoViewIfNeeded()
      await page.mouse.wheel(0, 400)
      await expect(cards.nth(at).getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
    }
    /** The words at the place of the bar, and whether its Approve can be pressed, in the first frame in which the words are `wanted`. */
    const firstFrame = (wanted: string) =>
      page.evaluate(
        (words) =>
          new Promise<boolean>((resolve) => {
            const look = () => {
              const bar = [...document.querySelectorAll("article div")].find(
                (each) => getComputedStyle(each).position === "fixed",
              )
              if (bar?.textContent.includes(words)) resolve(bar.querySelector("button:disabled") !== null)
              else requestAnimationFrame(look)
            }
            look()
          }),
        wanted,
      )
    const disabledAtFirst = firstFrame("The first request")
    await cards
      .nth(0)
      .getByText("Payload")
      .evaluate((element) => element.scrollIntoView({ block: "center" }))
    expect(await disabledAtFirst).toBe(true)

    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await cards
      .nth(1)
      .getByText("Payload")
      .evaluate((element) => element.scrollIntoView({ block: "center" }))
    // The room follows the bar in the frame that is painted next. A script may look before that frame.
    const room = () =>
      cards.nth(1).evaluate((card) => {
        const bar = [...card.querySelectorAll("div")].find((each) => getComputedStyle(each).position === "fixed")
        return bar && bar.parentElement && bar.parentElement.offsetHeight - bar.offsetHeight
      })
    await expect.poll(room).toBe(0)
  })
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

  test("a double click on Take it takes the item, and does not give it back", async ({ page, desk }) => {
    await changeAccess(desk, () => ({ roles: everybody, rules: [] }))
    const work = await createQuietWork(desk)
    addAttention(desk, work.id)
    await signInAs(page, "Ada Lovelace", "/needs-you")
    await page.getByRole("link", { name: QUESTION }).click()
    await expect(button(page, "Take it")).not.toHaveAttribute("aria-disabled", "true", { timeout: 20_000 })
    const changes: string[] = []
    page.on("request", (request) => {
      if (request.url().endsWith("/desk/assignment")) changes.push(request.postData() ?? "")
    })
    // The second click of the double click comes in the very frame in which the button has changed.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        const back = [...document.querySelectorAll("button")].find((each) => each.textContent === "Give back")
        if (back === undefined) return
        observer.disconnect()
        back.click()
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await button(page, "Take it").dblclick()
    await expect(button(page, "Give back")).not.toHaveAttribute("aria-disabled", "true")
    expect(changes).toHaveLength(1)
    await expect(page.getByRole("article")).toContainText("Taken by Ada Lovelace")
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
    await expect(dialog).toContainText("your comment goes no further than this desk")
    await expect(button(page, "Confirm approve")).toBeEnabled()
    // Clicks in the very frame in which the page has taken in that another person approved.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        if (!document.body.textContent.includes("You are the last")) return
        observer.disconnect()
        const confirm = [...document.querySelectorAll("button")].find((each) => each.textContent === "Confirm approve")
        confirm?.click()
      })
      observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await decide(other, "approve")
    await expect(dialog).toContainText("This has changed while you had it open.")
    await expect(dialog).toContainText("the decision and your comment are sent")
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
    // This page is so busy that it hears of the other approve only after the click.
    const clicked = page.evaluate(() => {
      const end = performance.now() + 4_000
      while (performance.now() < end);
      ;[...document.querySelectorAll("button")].find((each) => each.textContent === "Confirm approve")?.click()
    })
    await button(other, "Confirm approve").click()
    await expect(other.getByRole("article")).toContainText("Approved by you")
    await clicked
    await expect(page.getByRole("alert")).toContainText("Others have approved meanwhile")
    expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "pending" })
  })
})
