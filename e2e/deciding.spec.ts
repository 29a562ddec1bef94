import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import {
  RESOLVE,
  SUMMARY,
  approvalOf,
  createQuietWork,
  decide,
  openApproval,
  openItem,
  readToTheEnd,
} from "./inbox-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

test("a double click decides once, and the record is what the service returned", async ({ page, desk, relay }) => {
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id)
  await openItem(page, "/approvals", SUMMARY)
  await page.getByRole("button", { name: "Approve", exact: true }).click()
  const dialog = page.getByRole("dialog")
  await expect(dialog).toContainText("contracts@halden-logistics.example")
  await expect(dialog).toContainText("Renewal of framework agreement FA-2291 for 2027")
  await expect(dialog.getByRole("button", { name: "Confirm approve" })).toBeFocused()
  await page.keyboard.type("Agreed with Ana")
  await dialog.getByRole("button", { name: "Confirm approve" }).dblclick()

  const record = page.getByRole("article")
  await expect(record).toContainText("Approved")
  await expect(record).toContainText("Approved at this desk")
  await expect(record).toContainText("Recorded bysa_demo")
  await expect(record).toContainText("Agreed with Ana")
  await expect(record).toContainText("Version2")
  expect(relay.mutations()).toHaveLength(1)
  expect(relay.mutations()[0]).toMatchObject({ ifMatch: '"1"', status: 200 })
  expect(await approvalOf(desk, work.id, id)).toMatchObject({ status: "approved", version: 2 })
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Approvals" })).toHaveText(
    "Approvals",
  )
  await expect(page.getByRole("heading", { name: "No approvals need you." })).toBeVisible()
})

test("a held key opens the dialog at most, types nothing and confirms nothing", async ({ page, desk, relay }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  await openItem(page, "/approvals", SUMMARY)
  const approve = page.getByRole("button", { name: "Approve", exact: true })
  await expect(approve).toBeEnabled()
  await approve.focus()
  for (let count = 0; count < 30; count++) await page.keyboard.down("Enter")
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("")
  await page.keyboard.up("Enter")
  await page.getByRole("button", { name: "Cancel" }).click()

  for (let count = 0; count < 30; count++) await page.keyboard.down("d")
  await expect(page.getByRole("button", { name: "Confirm decline" })).toBeEnabled()
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("")
  await page.keyboard.up("d")
  await page.keyboard.type("ad")
  await expect(page.getByRole("textbox", { name: "Comment" })).toHaveValue("ad")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("dialog")).toBeVisible()
  expect(relay.mutations()).toEqual([])
})

/** The three buttons of a letter in their order, each with its key, the title of its dialog and what has the focus there. */
const BUTTONS = [
  ["Approve", "a", /^Approve: Send/, "Confirm approve"],
  ["Decline", "d", /^Decline: Send/, "Confirm decline"],
  ["Ask for a change", "c", /^Ask for a change: Send/, "What should be different?"],
] as const

const buttonOf = (page: Page, name: string) => page.getByRole("button", { name, exact: true })
const buttonsOf = (page: Page) => BUTTONS.map(([name]) => buttonOf(page, name))

test("Approve and its key wait until a long letter has been seen to its end, the others do not", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { body: "A line of the letter.\n\n".repeat(150) })
  await openItem(page, "/approvals", SUMMARY)
  const buttons = buttonsOf(page)
  for (const button of buttons.slice(1)) await expect(button).toBeEnabled()
  await expect(buttonOf(page, "Approve")).toBeDisabled()
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await readToTheEnd(page)
  for (const button of buttons) await expect(button).toBeEnabled()
  await page.keyboard.press("Home")
  for (const button of buttons) await expect(button).toBeEnabled()
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toBeVisible()
})

test("the buttons are reached with Tab, open with Enter and with a key, and have the focus again after Esc", async ({
  page,
  desk,
  relay,
}) => {
  await openApproval(page, desk)
  await expect(buttonOf(page, "Approve")).toBeEnabled()
  await buttonOf(page, "Approve").focus()
  await page.keyboard.press("Tab")
  await expect(buttonOf(page, "Decline")).toBeFocused()
  await page.keyboard.press("Tab")
  for (const key of ["ArrowRight", "ArrowLeft"]) await page.keyboard.press(key)
  await expect(buttonOf(page, "Ask for a change")).toBeFocused()
  await page.keyboard.press("Shift+Tab")
  await expect(buttonOf(page, "Decline")).toBeFocused()

  const dialog = page.getByRole("dialog")
  for (const [name, key, title, focused] of BUTTONS) {
    await buttonOf(page, name).focus()
    for (const opens of ["Enter", key]) {
      await page.keyboard.press(opens)
      await expect(dialog).toHaveAccessibleName(title)
      await expect(dialog.getByRole(key === "c" ? "textbox" : "button", { name: focused })).toBeFocused()
      await page.keyboard.press("Escape")
      await expect(dialog).toHaveCount(0)
      await expect(buttonOf(page, name)).toBeFocused()
    }
  }
  expect(relay.mutations()).toEqual([])
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test("all three buttons are in the window at every scroll position, in the inbox and on the Work's page", async ({
    page,
    desk,
  }) => {
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { body: "A line of the letter.\n\n".repeat(150) })
    const buttons = buttonsOf(page)
    const expectButtonsEverywhere = async () => {
      for (const button of buttons) await expect(button).toBeVisible()
      const height = await page.evaluate(() => document.documentElement.scrollHeight)
      expect(height).toBeGreaterThan(3000)
      for (const share of [0, 0.1, 0.3, 0.5, 0.8, 1]) {
        await page.evaluate((top) => scrollTo(0, top), share * height)
        for (const button of buttons) await expect(button).toBeInViewport({ ratio: 1 })
      }
      for (const button of buttons) await expect(button).toBeEnabled()
    }
    await page.goto(`/work/${work.id}`)
    await expect(buttonOf(page, "Read to the end")).toBeVisible()
    await readToTheEnd(page)
    await expectButtonsEverywhere()
    await openItem(page, "/approvals", SUMMARY)
    await expect(buttonOf(page, "Read to the end")).toBeVisible()
    await readToTheEnd(page)
    await expectButtonsEverywhere()
    await page.getByRole("link", { name: "Back to the list" }).click()
    await expect(page.getByRole("link", { name: SUMMARY })).toBeVisible()
  })

  test("what More opens stands above the fixed buttons", async ({ page, desk }) => {
    const work = await createQuietWork(desk)
    addAttention(desk, work.id)
    addApproval(desk, work.id, { body: "A line of the letter.\n\n".repeat(150) })
    await page.goto(`/work/${work.id}`)
    const card = page.getByRole("article").filter({ hasText: SUMMARY })
    const more = card.getByText("More", { exact: true })
    const topOfButtons = async () => (await buttonOf(page, "Approve").boundingBox())?.y ?? 0
    await expect(card.getByRole("region", { name: "Before you decide" })).toBeVisible()
    const box = await more.boundingBox()
    // The line `More` stands right above the buttons.
    await page.evaluate((by) => scrollBy(0, by), (box?.y ?? 0) + (box?.height ?? 0) + 8 - (await topOfButtons()))
    await more.click()
    const setAside = card.getByRole("button", { name: "Set aside" })
    await expect
      .poll(async () => {
        const { y, height } = (await setAside.boundingBox()) ?? { y: Infinity, height: 0 }
        return y + height - (await topOfButtons())
      })
      .toBeLessThan(0)
  })
})

test("a version beyond 2^53 is exact on the screen and in If-Match", async ({ page, desk, relay }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { version: 9_007_199_254_740_993n })
  await openItem(page, "/approvals", SUMMARY)
  await expect(page.getByRole("article")).toContainText("Version9007199254740993")
  await decide(page, "decline", "No")
  await expect(page.getByRole("article")).toContainText("9007199254740994")
  expect(relay.mutations()[0]?.ifMatch).toBe('"9007199254740993"')
})

test("nothing is shown as decided before the service has confirmed it", async ({ page, desk, relay }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  await openItem(page, "/approvals", SUMMARY)
  relay.fail("POST", RESOLVE, { kind: "hold" })
  await decide(page, "approve")
  await expect(page.getByRole("status").filter({ hasText: "Sending" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeDisabled()
  await expect(page.getByRole("article")).not.toContainText("Approved")
  await expect.poll(() => relay.mutations()[0]?.status).toBe(200)
  await expect(page.getByRole("article")).not.toContainText("Approved")
  relay.release()
  await expect(page.getByRole("article")).toContainText("Approved")
})
