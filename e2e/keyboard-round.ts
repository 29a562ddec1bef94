import type { Page } from "@playwright/test"
import { createWork, expect } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { tabTo } from "./keyboard-walk.ts"
import { addApproval } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/** Answers, decides and looks at the record with the keyboard alone. `look` checks each step. */
export async function goRoundByKeyboard(page: Page, desk: Desk, look: (page: Page) => Promise<void>): Promise<void> {
  const work = await createWork(desk, { title: "Profile nothing" })
  const quiet = await createQuietWork(desk)
  addApproval(desk, quiet.id, { summary: "The older request" })
  await page.goto("/needs-you?kind=questions")
  await expect(page.getByRole("link", { name: /Shall I finish/ })).toBeVisible()
  await look(page)
  await page.keyboard.press("j")
  const box = page.getByRole("textbox", { name: "Your answer" })
  await expect(box).toBeVisible()
  await expectFocus(page)
  await tabTo(page, box)
  await page.keyboard.type("Finish without a profile, jk")
  await expect(box).toHaveValue("Finish without a profile, jk")
  await expect(page.getByRole("button", { name: "Send answer" })).toBeEnabled()
  await look(page)
  await page.keyboard.press("ControlOrMeta+Enter")
  await expect(page.getByRole("article")).toContainText("Answer recorded")
  await expectFocus(page)
  await look(page)

  // A phone shows the item alone.
  const back = page.getByRole("link", { name: "Back to the list" })
  if (await back.isVisible()) {
    await tabTo(page, back)
    await page.keyboard.press("Enter")
  }
  await tabTo(page, page.getByRole("navigation", { name: "Kinds" }).getByRole("link", { name: "Approvals" }))
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { level: 1, name: "Approvals" })).toBeVisible()
  await expectFocus(page)
  await expect(page.getByRole("link", { name: "The older request" })).toBeVisible()
  await page.keyboard.press("j")
  await expect(page.getByRole("button", { name: "Decline", exact: true })).toBeEnabled()
  // A phone shows the letter in parts.
  const readOn = page.getByRole("button", { name: "Read to the end", disabled: false })
  while (await readOn.isVisible()) await page.keyboard.press("PageDown")
  await expectFocus(page)
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  await look(page)
  await page.keyboard.press("a")
  await expect(page.getByRole("button", { name: "Confirm approve" })).toBeEnabled()
  await expectFocus(page)
  await look(page)
  await page.keyboard.type("Agreed")
  await tabTo(page, page.getByRole("button", { name: "Confirm approve" }))
  await page.keyboard.press("Enter")
  await expect(page.getByRole("status").filter({ hasText: "The older request" })).toContainText("Approved")
  await expectFocus(page)
  await look(page)
  await page.goto("/record")
  await expect(page.getByRole("listitem")).toHaveCount(2)
  await look(page)
  await page.goto(`/work/${work.id}`)
  await expect(page.getByRole("region", { name: "Needs You" }).getByRole("article")).toBeVisible()
  await look(page)
}

/** Expects that something has the focus: a person with a keyboard never begins again at the top of the page. */
async function expectFocus(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe("BODY")
}
