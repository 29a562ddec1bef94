import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import {
  QUESTION,
  RESOLVE,
  SUMMARY,
  createQuietWork,
  decide,
  openApproval,
  openItem,
  readToTheEnd,
} from "./inbox-verbs.ts"
import { changeAccess, signInAs } from "./people-verbs.ts"
import { addApproval, addAttention, revise } from "./revise.ts"

/*
 * A click or a key does what the screen said when the person began to move.
 */

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const everybody = { reader: ["anyone"], answerer: ["anyone"], delegator: ["anyone"], approver: ["anyone"] }

test("a refusal for a rule or a role is shown for its version, and locks nobody out", async ({ page, desk, relay }) => {
  const { id } = await openApproval(page, desk)
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

test("the browser keeps the outcome of a decision, and not the letter", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { body: "A line of the letter.\n".repeat(600) })
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Read to the end")).toBeVisible()
  await readToTheEnd(page)
  await decide(page, "approve", "Agreed")
  await expect(page.getByRole("article")).toContainText("Approved")
  const kept = () => page.evaluate(() => Object.values(localStorage).join("").length)
  expect(await kept()).toBeLessThan(5_000)
  await page.reload()
  await expect(page.getByRole("article")).toContainText("Approved")
  await expect(page.getByRole("article")).toContainText("Agreed")
})

test("a newer version is said in a region that was on the page before", async ({ page, desk }) => {
  const { id } = await openApproval(page, desk)
  await expect(button(page, "Approve")).toBeEnabled()
  const regions = await page.getByRole("article").locator("[role=status]").elementHandles()
  revise(desk, "approval", id, { subject: "Another subject" })
  await expect(button(page, "Show version 2")).toBeVisible({ timeout: 30_000 })
  const said = await Promise.all(regions.map((region) => region.textContent()))
  expect(said.join(" ")).toContain("There is a newer version")
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
    await expect(page.getByRole("button", { name: "Read to the end" })).toHaveCount(2)
    await readToTheEnd(page)
    for (const at of [0, 1]) {
      await cards.nth(at).getByText("Details", { exact: true }).scrollIntoViewIfNeeded()
      await expect(cards.nth(at).getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
    }
    // The bar of the other letter comes a frame later.
    await expect
      .poll(() =>
        page.evaluate(() => {
          const bars = [...document.querySelectorAll("article div")]
          return bars.find((each) => getComputedStyle(each).position === "fixed")?.textContent
        }),
      )
      .toContain("The second request")
    /** The words at the place of the bar, and whether its Approve can be pressed, in the first frame in which the words are `wanted`. */
    const firstFrame = (wanted: string) =>
      page.evaluate(
        (words) =>
          new Promise<boolean>((resolve) => {
            const look = () => {
              const bar = [...document.querySelectorAll("article div")].find(
                (each) => getComputedStyle(each).position === "fixed",
              )
              if (bar?.textContent.includes(words))
                resolve(bar.querySelector("[data-asks][aria-disabled=true]") !== null)
              else requestAnimationFrame(look)
            }
            look()
          }),
        wanted,
      )
    const disabledAtFirst = firstFrame("The first request")
    await cards
      .nth(0)
      .getByText("Details", { exact: true })
      .evaluate((element) => element.scrollIntoView({ block: "center" }))
    expect(await disabledAtFirst).toBe(true)

    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
    await cards
      .nth(1)
      .getByText("Details", { exact: true })
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
})
