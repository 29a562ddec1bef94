import { createWork, expect, expectAccessible, test } from "./fixtures.ts"
import { createAsking, createQuietWork } from "./inbox-verbs.ts"
import { moreButton, navigation } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"
import type { BrowserContext, Page } from "@playwright/test"

/** Records the notices that a page shows and takes back, in place of the operating system's. */
const recordNotices = (context: BrowserContext) =>
  context.addInitScript(() => {
    const shown: string[] = []
    class RecordedNotice extends EventTarget {
      static readonly permission = "granted"
      static requestPermission = () => Promise.resolve("granted")
      readonly #name: string
      constructor(title: string, options: { body: string }) {
        super()
        this.#name = `${title}: ${options.body}`
        shown.push(`+ ${this.#name}`)
      }
      close() {
        shown.push(`- ${this.#name}`)
      }
    }
    Object.assign(globalThis, { Notification: RecordedNotice, shownNotices: shown })
  })

const noticesOf = async (pages: readonly Page[]): Promise<string[]> =>
  (await Promise.all(pages.map((page) => page.evaluate<string[]>("shownNotices")))).flat()

test("says so when the browser lets no page show notices, as on Android, and keeps working", async ({
  page,
  context,
  desk,
}) => {
  await context.addInitScript(() => {
    class RefusedNotice {
      static readonly permission = "granted"
      static requestPermission = () => Promise.resolve("granted")
      constructor() {
        throw new TypeError("Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.")
      }
    }
    Object.assign(globalThis, { Notification: RefusedNotice })
  })
  await createAsking(desk, "Known before")
  await page.goto("/work")
  await expect(page).toHaveTitle(/^\(1\) /)
  await moreButton(page).click()
  await page.getByRole("link", { name: "Notices" }).click()
  const box = page.getByRole("checkbox", { name: "Show a notice while a tab is open" })
  await box.check()
  await createAsking(desk, "New here")
  await expect(page.getByRole("alert")).toContainText("This browser can't show notifications.", {
    timeout: 45_000,
  })
  await expect(box).not.toBeChecked()
  await expect(page).toHaveTitle(/^\(2\) /)
})

test("says what failed also where the style sheet of its plain words does not arrive", async ({ page, relay }) => {
  await page.route(/\/assets\/(?!index).*\.css$/, (route) => route.abort())
  relay.fail("GET", /\/api\/v1\/work\?/, { kind: "refuse", status: 503, code: "AWAY" })
  await page.goto("/work")
  await expect(page.getByRole("main").getByRole("alert")).toContainText("Refused with 503")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  relay.heal()
  await page.getByRole("button", { name: "Refresh" }).click()
  await expect(page.getByRole("heading", { name: "No Work yet" })).toBeVisible()
})

test("single-key shortcuts can be switched off, for the person and every tab", async ({ page, context, desk }) => {
  await createWork(desk, { colleague_id: "metronome", objective: "rate=0.001" })
  await page.goto("/work")
  await moreButton(page).click()
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click()
  const box = page.getByRole("checkbox", { name: "Single-key shortcuts" })
  await expect(box).toBeChecked()
  await box.press("Space")
  await expect(box).not.toBeChecked()
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  const other = await context.newPage()
  await other.goto("/work")
  await expect(other.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  for (const tab of [page, other]) {
    await tab.keyboard.press("?")
    await tab.keyboard.press("/")
    await expect(tab.getByRole("searchbox", { name: "Find" })).not.toBeFocused()
    await tab.keyboard.press("Control+k")
    await expect(tab.getByRole("dialog", { name: "Go to" })).toBeVisible()
    await expect(tab.getByRole("dialog")).toHaveCount(1)
    await tab.keyboard.press("Escape")
  }
  await moreButton(page).click()
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click()
  await box.check()
  await page.keyboard.press("Escape")
  await page.keyboard.press("?")
  await expect(box).toBeChecked()
})

test("moves the focus to the page that is opened, past the navigation by its first link", async ({ page }) => {
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await page.keyboard.press("Tab")
  await expect(page.getByRole("link", { name: "Skip to the page" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("main")).toBeFocused()
  for (const name of ["Needs You", "Approvals", "New Work", "Record", "Work"]) {
    await navigation(page).getByRole("link", { name, exact: true }).click()
    await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeFocused()
    await expect(navigation(page).getByRole("link", { name, exact: true })).toHaveAttribute("aria-current", "page")
    await expect(page).toHaveTitle(`${name} · Workdesk`)
  }
})

test("notifies once of an item, whatever the number of tabs, and withdraws the notice when it is resolved elsewhere", async ({
  page,
  context,
  desk,
}) => {
  await recordNotices(context)
  await createAsking(desk, "Known before")
  await page.goto("/work")
  await expect(page).toHaveTitle(/^\(1\) /)
  const other = await context.newPage()
  await other.goto("/work")
  const third = await context.newPage()
  await third.goto("/work/new")
  const pages = [page, other, third]
  expect(await noticesOf(pages)).toEqual([])
  await moreButton(page).click()
  await page.getByRole("link", { name: "Notices" }).click()
  const box = (tab: Page) => tab.getByRole("checkbox", { name: "Show a notice while a tab is open" })
  await other.goto("/notices")
  // What comes while the notices are off is not new when they are on again.
  await box(page).check()
  await expect(box(other)).toBeChecked()
  await box(page).uncheck()
  await createAsking(desk, "While they were off")
  await expect(page).toHaveTitle(/^\(2\) /, { timeout: 45_000 })
  await box(page).check()
  await expect(box(other)).toBeChecked()

  const id = await createAsking(desk, "New here")
  await expect.poll(() => noticesOf(pages), { timeout: 45_000 }).toHaveLength(1)
  const [notice] = await noticesOf(pages)
  expect(notice).toMatch(/^\+ A colleague has a question: ./)
  await desk.owner.answer(id, "Go on")
  await expect.poll(() => noticesOf(pages), { timeout: 45_000 }).toHaveLength(2)
  expect((await noticesOf(pages)).toSorted()[1]).toBe(notice?.replace("+", "-"))
})

test("hidden characters are written out in a notice and in the names and tooltips of a plot", async ({
  page,
  context,
  desk,
}) => {
  await recordNotices(context)
  await createAsking(desk, "Known before")
  await page.goto("/notices")
  await page.getByRole("checkbox", { name: "Show a notice while a tab is open" }).check()
  await expect(page).toHaveTitle(/^\(1\) /)
  addApproval(desk, (await createQuietWork(desk)).id, { summary: "Pay \u202Eelpoep\u200B" })
  await expect.poll(() => noticesOf([page]), { timeout: 45_000 }).toHaveLength(1)
  expect(await noticesOf([page])).toEqual(["+ A colleague is asking for approval: Pay [U+202E]elpoep[U+200B]"])
  await page.goto("/overview")
  const mark = page.getByRole("main").getByRole("link", { name: "Approval: Pay [U+202E]elpoep[U+200B]" }).first()
  await expect(mark).toBeVisible()
  const hidden = await page.evaluate(() => /[\u202E\u200B]/.test(document.documentElement.outerHTML))
  expect(hidden).toBe(false)
})
