import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, openApproval, openItem, readToTheEnd, SUMMARY } from "./inbox-verbs.ts"
import { changeAccess, everybodyMay, signInAs } from "./people-verbs.ts"
import { addApproval, revise } from "./revise.ts"

/* The dialog of a decision: which keys confirm, and when. */

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const comment = (page: Page) => page.getByRole("textbox", { name: "Comment" })
const approveNow = async (page: Page) => {
  await expect(button(page, "Approve")).toBeEnabled()
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveAccessibleName(/^Approve: /)
}

test("A and the chord decide with two presses, and the dialog shows first what is decided", async ({
  page,
  desk,
  relay,
}) => {
  await openApproval(page, desk)
  await approveNow(page)
  const dialog = page.getByRole("dialog")
  await expect(dialog).toHaveAccessibleName(`Approve: ${SUMMARY} to Halden Logistics`)
  await expect(dialog).toContainText("contracts@halden-logistics.example")
  await page.keyboard.press("ControlOrMeta+Enter")
  await expect.poll(() => relay.mutations().length).toBe(1)
  expect(JSON.parse(relay.mutations()[0]?.body ?? "")).toEqual({ decision: "approve" })
})

test("Confirm has the focus, Space presses nothing, a character goes to the comment, and Enter confirms", async ({
  page,
  desk,
  relay,
}) => {
  await openApproval(page, desk)
  for (const [key, name] of [
    ["a", "Confirm approve"],
    ["d", "Confirm decline"],
  ] as const) {
    await expect(button(page, "Approve")).toBeEnabled()
    await page.keyboard.press(key)
    await expect(button(page, name)).toBeFocused()
    await expect(button(page, name)).toBeEnabled()
    await page.keyboard.press(" ")
    await expect(page.getByRole("dialog")).toBeVisible()
    await page.keyboard.press("Escape")
  }
  await approveNow(page)
  await page.keyboard.type("As agreed")
  await expect(comment(page)).toBeFocused()
  await expect(comment(page)).toHaveValue("As agreed")
  await page.keyboard.press("Enter")
  expect(relay.mutations()).toEqual([])
  await comment(page).fill("As agreed")
  await expect(button(page, "Confirm approve")).toBeEnabled()
  await button(page, "Confirm approve").focus()
  await page.keyboard.press("Enter")
  await expect.poll(() => relay.mutations().length).toBe(1)
  expect(JSON.parse(relay.mutations()[0]?.body ?? "")).toEqual({ decision: "approve", comment: "As agreed" })
})

test("a key that was pressed before the dialog opened confirms nothing, and a hint explains why", async ({
  page,
  desk,
  relay,
}) => {
  await openApproval(page, desk)
  await expect(button(page, "Approve")).toBeEnabled()
  // A busy page receives three keys at once. All three were pressed before the dialog opened.
  await page.evaluate(async () => {
    const chord = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true })
    const enter = new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true, cancelable: true }))
    while (document.querySelector("dialog[open]") === null) await new Promise((resolve) => setTimeout(resolve))
    for (const key of [chord, enter]) document.activeElement?.dispatchEvent(key)
  })
  await expect(page.getByRole("dialog").getByText("This dialog has just opened")).toBeVisible()
  await expect(button(page, "Confirm approve")).toBeEnabled()
  expect(relay.mutations()).toEqual([])
})

test("a newer letter that comes while the dialog is open has to be read first", async ({ page, desk, relay }) => {
  const { id } = await openApproval(page, desk)
  await approveNow(page)
  revise(desk, "approval", id, { subject: "Another subject" })
  const dialog = page.getByRole("dialog")
  await expect(dialog.getByRole("button", { name: "Show version 2" })).toBeVisible({ timeout: 40_000 })
  await expect(button(page, "Confirm approve")).toBeDisabled()
  await page.keyboard.press("ControlOrMeta+Enter")
  await expect(dialog.getByText("Show the newer version first")).toBeVisible()
  await button(page, "Confirm approve").focus()
  await page.keyboard.press("Enter")
  await expect(dialog).toBeVisible()
  expect(relay.mutations()).toEqual([])
})

test("a key or a click that comes too early gets a hint", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { body: "A line of the letter.\n\n".repeat(150) })
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Decline")).toBeEnabled()
  const card = page.getByRole("article")
  const shakes = () => button(page, "Approve").evaluate((element) => element.getAnimations().length)
  await page.keyboard.press("a")
  await expect(card.getByRole("status").filter({ hasText: "Read to the end first" })).toBeVisible()
  await expect.poll(shakes).toBe(0)
  const shaken = button(page, "Approve").evaluate((element: HTMLButtonElement) => {
    element.click()
    return element.getAnimations().length
  })
  expect(await shaken).toBe(1)
  await page.emulateMedia({ reducedMotion: "reduce" })
  await expect.poll(shakes).toBe(0)
  await button(page, "Approve").click({ force: true })
  expect(await shakes()).toBe(0)
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await readToTheEnd(page)
  await expect(card.getByRole("status").filter({ hasText: "Read to the end first" })).toHaveCount(0)
})

test.describe("with a finger", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

  test("no field takes the focus, and the comment is folded unless there is a draft", async ({ page, desk }) => {
    await openApproval(page, desk)
    await readToTheEnd(page)
    await button(page, "Approve").tap()
    await expect(button(page, "Confirm approve")).toBeFocused()
    await expect(button(page, "Confirm approve")).toBeInViewport({ ratio: 1 })
    await expect(comment(page)).toHaveCount(0)
    await button(page, "Add a comment").tap()
    await comment(page).fill("As agreed")
    await button(page, "Cancel").tap()
    await expect(button(page, "Decline")).toBeEnabled()
    await button(page, "Decline").tap()
    await expect(comment(page)).toHaveValue("As agreed")
    await expect(button(page, "Confirm decline")).toBeFocused()
    await button(page, "Cancel").tap()
    await page.keyboard.press("c")
    await expect(page.getByRole("textbox", { name: "What should be different?" })).not.toBeFocused()
  })
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("no key confirms right after the number of needed approvals has changed", async ({ page, desk, relay }) => {
    await changeAccess(desk, everybodyMay)
    const work = await createQuietWork(desk)
    addApproval(desk, work.id)
    await signInAs(page, "Ada Lovelace", "/approvals")
    await page.getByRole("link", { name: SUMMARY }).click()
    await approveNow(page)
    await page.evaluate(() => {
      const look = new MutationObserver(() => {
        if (!document.querySelector("dialog")?.textContent?.includes("This changed")) return
        look.disconnect()
        const chord = { key: "Enter", ctrlKey: true, bubbles: true, cancelable: true }
        document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", chord))
      })
      look.observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await changeAccess(desk, () => ({ rules: [{ approvalsNeeded: 2 }] }))
    const dialog = page.getByRole("dialog")
    await expect(dialog).toContainText("Kept until one more person approves", { timeout: 20_000 })
    await expect(dialog).toContainText("This changed while you had it open")
    await expect(dialog.getByText("This has just changed")).toBeVisible()
    expect(relay.mutations()).toEqual([])
    await expect(button(page, "Confirm approve")).toBeEnabled()
    await page.keyboard.press("ControlOrMeta+Enter")
    await expect(dialog).toHaveCount(0)
  })
})
