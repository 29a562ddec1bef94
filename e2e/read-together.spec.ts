import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { createQuietWork, decide, openItem, SUMMARY } from "./inbox-verbs.ts"
import { expectFocus, press, tabTo, watchFocus } from "./keyboard-walk.ts"
import { changeAccess, everybodyMay, openAs, signInAs } from "./people-verbs.ts"
import { addApproval, remove, revise } from "./revise.ts"
import {
  addAlike,
  boxOf,
  openTogether,
  progressOf,
  readTogether,
  rowOf,
  saidOf,
  toOf,
  waitForTwoApprovals,
} from "./together-verbs.ts"

const TOGETHER = /^Read together/
const heading = (page: Page) => page.getByRole("heading", { level: 2 })
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const row = (page: Page, name: string) => page.getByRole("list", { name: "Needs You" }).getByRole("link", { name })

test("the inbox marks letters that are alike, and leads to all of them from the first", async ({ page, desk }) => {
  await addAlike(desk, 3)
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { risk: "Another risk", summary: "The other letter" })
  await page.goto("/needs-you")
  for (const index of [0, 1, 2]) await expect(row(page, `Remind customer ${index}`)).toContainText("3 alike")
  await expect(row(page, "The other letter")).not.toContainText("alike")
  await expect(page.getByRole("button", { name: TOGETHER })).toHaveCount(1)
  await page.getByRole("button", { name: TOGETHER }).click()
  await expect(heading(page)).toHaveText("3 alike letters")
  await expect(heading(page)).toBeFocused()

  const first = page.getByRole("region", { name: "First letter" })
  await expect(first).toContainText("Dear customer")
  await expect(first.locator("mark")).toHaveText(["11000", "20,50"])
  await expect(rowOf(page, 0)).toContainText("0,50")
  await expect(rowOf(page, 1)).toContainText("1001")
  await expect(rowOf(page, 1)).toContainText("1,50")
  await expect(rowOf(page, 2)).toContainText("First letter to this destination")
  for (const index of [0, 1, 2]) await expect(boxOf(page, index)).not.toBeChecked()
  await expectAccessible(page)
})

test("what looks the same is spelled out where it differs, and hidden characters are shown", async ({ page, desk }) => {
  const bodies = [
    "Pay caf\u00E9 now.",
    "Pay cafe\u0301 now.",
    "Pay caf\u00E9  now.",
    "Pay \u202Ecaf\u00E9 now.",
    "Pay p\u0430y now.",
  ]
  await addAlike(desk, bodies.length, (index) => ({ subject: "Pay", body: bodies[index] ?? "" }))
  await openTogether(page, bodies.length)
  await expect(rowOf(page, 1)).toContainText("U+0301")
  await expect(rowOf(page, 2)).toContainText("U+0020 U+0020")
  await expect(rowOf(page, 3)).toContainText("U+202E")
  await expect(rowOf(page, 4)).toContainText("Mixed scripts: Latin, Cyrillic")
})

test("a row can be chosen once the letter and the row were on the screen", async ({ page, desk }) => {
  await addAlike(desk, 12, (index) => ({ body: `${"A line of the letter.\n\n".repeat(40)}Pay ${index} EUR.` }))
  await openTogether(page, 12)
  // Whoever sees only the end hasn't seen the letter or the other rows.
  await rowOf(page, 11).scrollIntoViewIfNeeded()
  await expect(saidOf(page, 11)).toContainText("Not seen yet")
  await expect(boxOf(page, 11)).toBeDisabled()
  await boxOf(page, 11).click({ force: true })
  await expect(boxOf(page, 11)).not.toBeChecked()
  await expect(progressOf(page)).toHaveText("Not seen yet")
  await expect(button(page, "Choose all that are seen")).toBeDisabled()

  await readTogether(page)
  await expect(boxOf(page, 11)).toBeEnabled()
  await expect(progressOf(page)).toHaveText("0 chosen")
  await boxOf(page, 3).click()
  await expect(progressOf(page)).toHaveText("1 chosen")
  await button(page, "Choose all that are seen").click()
  await expect(button(page, "Approve 12…")).toBeEnabled()
  await boxOf(page, 3).click()
  await expect(button(page, "Decline 11…")).toBeEnabled()
})

test("the contexts of the rows are read when they come near the window, few at a time", async ({ page, desk }) => {
  await addAlike(desk, 40)
  let [reading, most] = [0, 0]
  const held = Promise.withResolvers<void>()
  const asked: string[] = []
  await page.goto("/approvals")
  const open = page.getByRole("button", { name: TOGETHER })
  await expect(open).toBeVisible()
  await page.route(/\/desk\/context\?/, async (route) => {
    asked.push(route.request().url())
    most = Math.max(most, ++reading)
    await held.promise
    await route.continue()
    reading -= 1
  })
  await open.click()
  await expect(heading(page)).toHaveText("40 alike letters")
  await rowOf(page, 39).scrollIntoViewIfNeeded()
  await expect.poll(() => reading).toBe(6)
  await expect(saidOf(page, 39)).toContainText("Still checking the destination")
  held.resolve()
  await expect(saidOf(page, 39)).not.toContainText("Still checking the destination")
  expect(most).toBe(6)
  expect(new Set(asked).size).toBe(asked.length)
})

test("a reload shows the same letters and what has become of them, and Back and the link lead to the row", async ({
  page,
  desk,
}) => {
  const { ids } = await addAlike(desk, 4)
  await openTogether(page, 4)
  await page.getByRole("link", { name: "Open" }).first().click()
  await expect(heading(page)).toContainText("Remind customer 0")
  await page.goBack()
  await expect(heading(page)).toHaveText("4 alike letters")
  await page.getByRole("link", { name: "Back to the list" }).click()
  await expect(page.getByRole("link", { name: "Remind customer 0" })).toBeFocused()
  await page.goBack()
  await expect(heading(page)).toHaveText("4 alike letters")

  // A letter that comes later joins only another card.
  remove(desk, "approval", ids[1] ?? "")
  revise(desk, "approval", ids[2] ?? "", { risk: "Another risk" })
  await addAlike(desk, 1)
  await expect(saidOf(page, 1)).toContainText("No longer pending", { timeout: 40_000 })
  await expect(saidOf(page, 2)).toContainText("Version 2 has come", { timeout: 40_000 })
  await page.reload()
  await expect(heading(page)).toHaveText("2 alike letters")
  await expect(page.getByText("1 letter is no longer pending.")).toBeVisible()
  await expect(page.getByText("1 letter is no longer alike.")).toBeVisible()

  // A link that somebody sent has only the first letter.
  const other = await page.context().newPage()
  await other.goto(page.url())
  await expect(heading(other)).toHaveText("3 alike letters")
  for (const id of ids) remove(desk, "approval", id)
  await expect(saidOf(page, 0)).toContainText("No longer pending", { timeout: 40_000 })
  await page.reload()
  await expect(page.getByText("These letters are no longer pending.")).toBeVisible()
  await page.getByRole("link", { name: "Back to the list" }).click()
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
})

test("a window below 600 px offers nothing, and a card that is open there says so", async ({ page, desk }) => {
  await addAlike(desk, 2)
  await openTogether(page, 2)
  await readTogether(page)
  await boxOf(page, 0).click()
  await page.setViewportSize({ width: 590, height: 800 })
  await expect(page.getByText("Make the window wider to decide letters together.")).toBeVisible()
  await expect(page.getByRole("table")).toHaveCount(0)
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await page.setViewportSize({ width: 1000, height: 800 })
  await expect(boxOf(page, 0)).toBeChecked()
  await page.setViewportSize({ width: 590, height: 800 })
  await page.goto("/needs-you")
  await expect(page.getByRole("link", { name: "Remind customer 0" })).toBeVisible()
  await expect(page.getByText("alike")).toHaveCount(0)
})

test.describe("in a low window", () => {
  test.use({ viewport: { width: 640, height: 270 } })

  test("letters are read, chosen and asked about with the keyboard alone", async ({ page, desk }) => {
    await addAlike(desk, 3)
    await watchFocus(page)
    await page.goto("/needs-you")
    await tabTo(page, page.getByRole("button", { name: TOGETHER }))
    await press(page, "Enter")
    await expect(heading(page)).toBeFocused()
    // The rows come into the window with the focus, and the letter by scrolling.
    const body = page.getByText("please pay")
    for (let presses = 0; presses < 30; presses++) await press(page, "ArrowDown")
    await expect(body).not.toBeInViewport()
    for (const index of [0, 1, 2]) {
      await tabTo(page, boxOf(page, index))
      for (let presses = 0; presses < 6; presses++) await press(page, "ArrowDown")
      await expect(boxOf(page, index)).toBeEnabled()
      await press(page, "Space")
      await expect(boxOf(page, index)).toBeChecked()
    }
    await tabTo(page, button(page, "Decline 3…"))
    await press(page, "Enter")
    await expect(page.getByRole("dialog")).toContainText(toOf(2))
    await press(page, "Escape")
    await expect(button(page, "Decline 3…")).toBeFocused()
    await tabTo(page, page.getByRole("link", { name: "Back to the list" }), "Shift+Tab")
    await press(page, "Enter")
    await expect(page.getByRole("link", { name: "Remind customer 0" })).toBeFocused()
    await expectFocus(page, "the way back")
  })
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("each row that can't be chosen says why", async ({ page, desk, browser }) => {
    test.slow()
    await changeAccess(desk, () => ({
      ...everybodyMay(),
      rules: [
        { destination: toOf(0), approvalsNeeded: 2 },
        { destination: toOf(1), maxAuthenticationAgeSeconds: 3_600 },
      ],
    }))
    await addAlike(desk, 5)
    const other = await openAs(browser, desk, "Ben Okafor", "/approvals")
    await other.getByRole("link", { name: "Remind customer 2" }).click()
    await other.getByRole("button", { name: "Take it" }).click()
    await expect(other.getByRole("button", { name: "Give back" })).toBeVisible()
    await signInAs(page, "Ada Lovelace", "/approvals")
    await waitForTwoApprovals(page)
    await openTogether(page, 5)
    await readTogether(page)
    await expect(saidOf(page, 0)).toContainText("Needs 2 approvals")
    await expect(saidOf(page, 1)).toContainText("A rule asks for a fresh sign-in")
    await expect(saidOf(page, 2)).toContainText("Taken by Ben Okafor")
    for (const index of [0, 1, 2]) await expect(boxOf(page, index)).toBeDisabled()
    await button(page, "Choose all that are seen").click()
    await expect(button(page, "Approve 2…")).toBeEnabled()

    const dora = await openAs(browser, desk, "Dora Lind", "/overview")
    await dora.getByRole("button", { name: "Freeze…" }).click()
    await dora.getByRole("textbox", { name: "Reason" }).fill("It sends letters in a loop")
    await dora.getByRole("dialog").getByRole("button", { name: "Freeze", exact: true }).click()
    await expect(button(page, "Approve 2…")).toBeDisabled({ timeout: 40_000 })
    await page.keyboard.press("a")
    await expect(progressOf(page)).toContainText("It sends letters in a loop")
  })

  test("without the role every row says so", async ({ page, desk }) => {
    await changeAccess(desk, ({ roles }) => ({ roles: { ...(roles as object), reader: ["anyone"] }, rules: [] }))
    await addAlike(desk, 2)
    await signInAs(page, "Cleo Martin", "/approvals")
    // What waits for others is in no group of this person.
    await expect(page.getByText(/^Waiting for others/)).toBeVisible()
    await expect(page.getByRole("button", { name: TOGETHER })).toHaveCount(0)
  })
})

test("a look-alike, and a destination that could not be checked, can't be chosen", async ({ page, desk }) => {
  const known = addApproval(desk, (await createQuietWork(desk)).id, { destination: "pay@halden.example" })
  await openItem(page, "/approvals", SUMMARY)
  await decide(page, "approve")
  await expect(page.getByRole("article")).toContainText("Approved")
  const forged = "p\u0430y@halden.example"
  const { ids } = await addAlike(desk, 3, (index) => (index === 0 ? { destination: forged } : {}))
  expect(ids).not.toContain(known)
  await page.route(/\/desk\/context\?/, (route) =>
    route
      .request()
      .url()
      .includes(ids[1] ?? "")
      ? route.abort()
      : route.continue(),
  )
  await page.goto("/approvals")
  await openTogether(page, 3)
  await readTogether(page)
  const lookAlike = page.getByRole("table", { name: "Letters" }).getByRole("row", { name: forged })
  await expect(lookAlike).toContainText("Looks like pay@halden.example")
  await expect(lookAlike.getByRole("cell").last()).toContainText("Marked as a look-alike")
  await expect(rowOf(page, 1)).toContainText("The desk couldn't check this destination's history and look-alikes.")
  await expect(saidOf(page, 1)).toContainText("The destination couldn't be checked")
  await button(page, "Choose all that are seen").click()
  await expect(button(page, "Approve 1…")).toBeEnabled()
})
