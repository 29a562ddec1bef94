import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { readToTheEnd, createQuietWork } from "./inbox-verbs.ts"
import { expectFocus, press, signInByKeyboard, tabAndPress, tabTo, watchFocus } from "./keyboard-walk.ts"
import { arrived, create } from "./new-work-verbs.ts"
import { changeAccess, everybodyMay, objective, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

/* Every dialog that sends something is opened, filled and sent with the keyboard alone. After each step something has the focus. */

test.use({ deskOptions: { people: true } })

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const inDialog = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true })
const article = (page: Page, summary: string) => page.getByRole("article").filter({ hasText: summary })

/** Waits until the desk has read the access file again, which it does within ten seconds. */
const untilDelegator = (page: Page) =>
  expect
    .poll(async () => (await page.request.get("/desk/session")).text(), { timeout: 20_000 })
    .toMatch(/"roles":\[[^\]]*"delegator"/)

for (const [name, viewport] of Object.entries({
  "on a desk": { width: 1440, height: 900 },
  "on a phone": { width: 360, height: 640 },
}))
  test.describe(name, () => {
    test.use({ viewport })
    const isPhone = viewport.width < 720

    /** Opens the controls that a phone has behind a button. */
    const unfold = async (page: Page, fold: "More" | "Filter") => {
      if (!isPhone) return
      await tabAndPress(page, fold === "More" ? page.locator("summary", { hasText: "More" }) : button(page, fold))
    }

    test("signing in, approving with a comment, asking for a change and delegating again", async ({ page, desk }) => {
      await changeAccess(desk, everybodyMay)
      const work = await createQuietWork(desk)
      for (const summary of ["The first request", "The second request"]) addApproval(desk, work.id, { summary })
      await watchFocus(page)
      await page.goto("/approvals")
      await signInByKeyboard(page, "Ada Lovelace")
      await untilDelegator(page)
      await page.reload()
      await expect(page.getByRole("link", { name: "The second request" })).toBeVisible()
      await press(page, "j")
      await expect(article(page, "The first request")).toBeVisible()
      // A phone shows the end of the letter only then.
      await press(page, "End")
      await readToTheEnd(page)
      await expect(button(page, "Approve")).toBeEnabled()
      await press(page, "a")
      await expect(inDialog(page, "Confirm approve")).toBeFocused()
      await page.keyboard.type("Agreed")
      await tabAndPress(page, inDialog(page, "Confirm approve"))
      await expect(page.getByRole("status").filter({ hasText: "The first request" })).toContainText("Approved")
      await expectFocus(page, "the approve")

      await expect(article(page, "The second request")).toBeVisible()
      await press(page, "End")
      await expect(button(page, "Ask for a change")).toBeEnabled()
      await press(page, "c")
      await expect(page.getByRole("textbox", { name: "What should be different?" })).toBeFocused()
      await page.keyboard.type("Address it to Ana")
      await tabAndPress(page, inDialog(page, "Confirm decline and ask for a change"))
      const again = page.getByRole("link", { name: "Delegate again with this change" })
      await expect(again).toBeVisible()
      await expectFocus(page, "asking for a change")
      await tabAndPress(page, again)
      await expect(objective(page)).toHaveValue(/> Address it to Ana$/)
      await expectFocus(page, "opening New Work")
      await tabAndPress(page, create(page))
      await arrived(page)
      await expect(page.getByRole("main")).toContainText("Replaces")
      await expectFocus(page, "creating Work")
    })

    test("taking an item, handing it over and setting one aside", async ({ page, desk }) => {
      await changeAccess(desk, everybodyMay)
      const work = await createQuietWork(desk)
      for (const summary of ["The first request", "The second request"]) addApproval(desk, work.id, { summary })
      await signInAs(page, "Ada Lovelace")
      await untilDelegator(page)
      await watchFocus(page)
      await page.goto("/approvals")
      await expect(page.getByRole("link", { name: "The second request" })).toBeVisible()
      await press(page, "j")
      await expect(article(page, "The first request")).toBeVisible()
      await unfold(page, "More")
      await tabAndPress(page, button(page, "Take it"))
      await expect(article(page, "The first request")).toContainText("Taken by Ada Lovelace")
      await tabAndPress(page, button(page, "Hand to"))
      const to = page.getByRole("dialog").getByRole("combobox", { name: "To" })
      await expect(to).toBeVisible()
      await expectFocus(page, "opening Hand to")
      await tabTo(page, to, "Shift+Tab")
      await page.keyboard.type("Ada")
      await expect(to).toHaveValue(/^person /)
      await tabTo(page, page.getByRole("dialog").getByRole("textbox", { name: "Note" }))
      await page.keyboard.type("Mine after all")
      await tabAndPress(page, inDialog(page, "Hand over"))
      await expect(article(page, "The first request")).toContainText("Taken by Ada Lovelace now: “Mine after all”")
      await expectFocus(page, "handing the item over")

      await press(page, "s")
      await tabAndPress(page, inDialog(page, "In an hour"))
      await expect(page.getByText("Set aside (1)")).toBeAttached()
      await expect(article(page, "The second request")).toBeVisible()
      await expectFocus(page, "setting the item aside")
    })

    test("saving, renaming and removing a view", async ({ page, desk }) => {
      await changeAccess(desk, everybodyMay)
      await signInAs(page, "Ada Lovelace")
      await watchFocus(page)
      await page.goto("/approvals?q=first")
      await expect(page.getByRole("heading", { name: "No approvals match" })).toBeVisible()
      await unfold(page, "Filter")
      await tabAndPress(page, button(page, "Save view"))
      const viewName = page.getByRole("textbox", { name: "Name" })
      await expect(viewName).toBeFocused()
      await page.keyboard.type("First")
      await press(page, "Enter")
      await expect(page.getByRole("dialog")).toHaveCount(0)
      await expectFocus(page, "saving a view")

      await page.goto("/work")
      // A phone has the views behind More.
      if (isPhone) await tabAndPress(page, button(page, "More"))
      await tabAndPress(page, button(page, "Rename First"))
      await expect(viewName).toBeFocused()
      await press(page, "ControlOrMeta+a")
      await page.keyboard.type("Every first")
      await press(page, "Enter")
      await expect(button(page, "Rename Every first")).toBeVisible()
      await expectFocus(page, "renaming a view")
      await tabAndPress(page, button(page, "Remove Every first"))
      await expect(button(page, "Remove Every first")).toHaveCount(0)
      await expectFocus(page, "removing a view")
    })

    test("an absence and a freeze, from their beginning to their end", async ({ page, desk }) => {
      await changeAccess(desk, everybodyMay)
      await signInAs(page, "Dora Lind")
      await watchFocus(page)
      await page.goto("/notices")
      const away = page.getByRole("region", { name: "Away" })
      await tabTo(page, away.getByLabel("Until"))
      // How the parts of a time are typed depends on the language of the browser.
      await away.getByLabel("Until").fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16))
      await tabAndPress(page, away.getByRole("button", { name: "Save" }))
      await expect(away).toContainText("Saved")
      await expectFocus(page, "saving the absence")
      await page.goto("/overview")
      await tabAndPress(page, button(page, "End it"))
      await expect(button(page, "End it")).toHaveCount(0)
      await expectFocus(page, "ending the absence")

      await tabAndPress(page, button(page, "Freeze…"))
      await expect(page.getByRole("textbox", { name: "Reason" })).toBeFocused()
      await page.keyboard.type("It sends letters in a loop")
      await tabAndPress(page, inDialog(page, "Freeze"))
      await expect(page.getByRole("main").getByRole("alert")).toContainText("It sends letters in a loop")
      await expectFocus(page, "freezing the desk")
      await page.goto("/work")
      await tabAndPress(page, button(page, "End the freeze"))
      await expect(inDialog(page, "Confirm the end")).toBeEnabled()
      await tabAndPress(page, inDialog(page, "Confirm the end"))
      await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0)
      await expectFocus(page, "ending the freeze")
    })
  })
