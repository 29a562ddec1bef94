import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { approvalToDecide, createQuietWork } from "./inbox-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

// What a window of 1280 x 1024 has at 400 % (WCAG 1.4.10).
test.use({ viewport: { width: 320, height: 256 } })

/** How many pixels of the window's height something of `main`, which scrolls, is under the middle of the window's width. */
const roomOfMain = (page: Page) =>
  page.evaluate(() => {
    const covered = (element: Element | null): boolean =>
      element !== null && (/fixed|sticky/.test(getComputedStyle(element).position) || covered(element.parentElement))
    return Array.from({ length: innerHeight }, (_, y) => document.elementFromPoint(innerWidth / 2, y)).filter(
      (element) => element?.closest("main") && !covered(element),
    ).length
  })

test("no bar stays in a window that is zoomed to 400 %, and nothing scrolls sideways", async ({ page, desk }) => {
  const { id, workId } = await approvalToDecide(desk)
  addApproval(desk, workId, { body: "A line of the letter.\n".repeat(200), summary: "Send the long letter" })
  addAttention(desk, (await createQuietWork(desk)).id)
  for (const [address, shown] of [
    [`/approvals?item=${id}`, "Approve"],
    ["/approvals", "Send the renewal letter"],
    ["/needs-you", "Two rows share"],
    ["/work", "Renewal letter"],
    [`/work/${workId}`, "Approvals"],
    ["/work/new", "Objective"],
    ["/overview", "Overview"],
    ["/record", "Record"],
  ] as const) {
    await page.goto(address)
    await expect(page.getByRole("main").getByText(shown).filter({ visible: true }).first()).toBeVisible()
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll("body *")]
        .filter((element) => element.getBoundingClientRect().right > 320)
        .slice(0, 5)
        .map((element) => element.outerHTML.slice(0, 90)),
    )
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${address} ${wide.join(" | ")}`).toBe(320)
    await page.evaluate(() => scrollTo(0, Math.min(300, document.body.scrollHeight - innerHeight)))
    const { height } = (await page.getByRole("main").boundingBox()) ?? { height: 0 }
    if (height > 900) expect(await roomOfMain(page), address).toBeGreaterThan(250)
  }

  await page.goto("/approvals")
  await page.getByRole("link", { name: "Send the long letter" }).click()
  await page.getByRole("button", { name: "Decline" }).scrollIntoViewIfNeeded()
  await expect(page.getByRole("button", { name: "Approve" })).toBeInViewport()
  await page.getByText("A line of the letter").first().scrollIntoViewIfNeeded()
  await page.mouse.wheel(0, 1_000)
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(900)
  expect(await roomOfMain(page)).toBe(256)

  // A page opened by its address starts at its top, even in a tab where another page was scrolled.
  await page.goto("/overview")
  await expect(page.getByRole("heading", { name: "Colleagues" })).toBeAttached()
  expect(await page.evaluate(() => scrollY)).toBe(0)
})

test("J shows the heading of the letter that it opens", async ({ page, desk }) => {
  await approvalToDecide(desk)
  await page.goto("/approvals")
  await expect(page.getByRole("main").getByRole("link", { name: "Send the renewal letter" })).toBeAttached()
  await page.keyboard.press("j")
  await expect(page.getByRole("heading", { name: "Send the renewal letter" })).toBeInViewport()
})
