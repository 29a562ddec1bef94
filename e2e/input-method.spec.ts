import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

/** Types with an input method, whose composition is open afterwards. */
async function compose(page: Page, text: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length })
  await session.detach()
}

/** WebKit fires the Enter that ends a composition after the composition, with this code alone. */
const pressEnterAsWebKit = (page: Page) =>
  page.evaluate(() =>
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true })),
  )

test("a key of an input method opens, chooses and sends nothing", async ({ page, desk }) => {
  const work = await createQuietWork(desk, "東京の請求書")
  addAttention(desk, work.id, { title: "東京ではどの金額が正しいですか" })
  addApproval(desk, work.id, { summary: "東京に送る" })
  for (const [address, name] of [
    ["/needs-you", "Find words"],
    ["/approvals", "Find words"],
    ["/work", "Find"],
  ] as const) {
    await page.goto(address)
    await expect(
      page
        .getByRole("main")
        .getByRole("link", { name: /東京/ })
        .first(),
    ).toBeVisible()
    await page.getByRole("searchbox", { name, exact: true }).focus()
    await compose(page, "東京")
    await expect(page).toHaveURL(/q=/)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await pressEnterAsWebKit(page)
    await expect(page.getByRole("searchbox", { name, exact: true })).toBeFocused()
    await expect(page.locator("[data-row][aria-current], [data-row][data-selected=true]")).toHaveCount(0)
  }

  await page.goto("/work")
  await page
    .getByRole("link", { name: /東京/ })
    .first()
    .focus()
  await page.keyboard.press("ControlOrMeta+k")
  const palette = page.getByRole("dialog", { name: "Go to" })
  await expect(palette.getByRole("combobox")).toBeFocused()
  await compose(page, "東京")
  await expect(palette.getByRole("option").first()).toBeVisible()
  await page.keyboard.press("Enter")
  await pressEnterAsWebKit(page)
  await expect(palette).toBeVisible()

  await page.goto("/needs-you?kind=questions")
  await page
    .getByRole("main")
    .getByRole("link", { name: /金額/ })
    .click()
  const answer = page.getByRole("textbox", { name: "Your answer" })
  await answer.focus()
  await compose(page, "東京")
  await expect(page.getByRole("button", { name: "Send answer" })).toBeEnabled()
  await page.keyboard.press("Control+Enter")
  await expect(answer).toBeEditable()
  await answer.blur()
  await answer.fill("東京都")
  await expect(page.getByRole("button", { name: "Send answer" })).toBeEnabled()
  await page.keyboard.press("Control+Enter")
  await expect(page.getByRole("article")).toContainText("Answered")
})
