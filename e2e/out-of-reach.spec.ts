import { createWork, expect, savingData, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { changeAccess, everybodyMay, lock, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"

/* What a page shows while the desk can't be reached, or after the session has ended. */

test("ten seconds after the first page the code of all pages is loaded, so each opens while the desk is away, and says so once", async ({
  page,
  desk,
}) => {
  const { id } = await createWork(desk, { title: "Count the penguins" })
  const loaded: string[] = []
  page.on("response", (response) => loaded.push(new URL(response.url()).pathname))
  const pages = ["overview", "new-work", "record", "notices", "work"].map((name) => `${name}-page-`)
  const areLoaded = () => [...pages, "inbox-", "palette-"].filter((file) => !loaded.some((path) => path.includes(file)))
  await page.clock.install()
  await page.goto("/work")
  await expect(page.getByRole("link", { name: "Count the penguins" })).toBeVisible()
  await page.clock.fastForward(9_000)
  expect(loaded.filter((path) => path.includes("-page-"))).toEqual([])
  await page.clock.fastForward(2_000)
  await expect.poll(areLoaded, { timeout: 30_000 }).toEqual([])
  await page.clock.resume()

  await desk.stopServer()
  await page.getByRole("button", { name: /Refresh/ }).click()
  const silence = page.getByText(/hasn't responded since/)
  await expect(silence).toBeVisible({ timeout: 60_000 })
  const main = page.getByRole("main")
  const menu = page.getByRole("navigation", { name: "Main" })
  for (const name of ["Needs You", "Approvals", "Overview", "New Work", "Record"]) {
    await menu
      .getByRole("link", { name: new RegExp(`^${name}`) })
      .first()
      .click()
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible()
    await expect(main.getByRole("alert")).toHaveCount(0)
    await expect(silence).toHaveCount(1)
    await expect(main.getByText(/can't be reached|No response|couldn't be loaded/)).toHaveCount(0)
  }
  await menu.getByRole("link", { name: "Work", exact: true }).click()
  await page.getByRole("link", { name: "Count the penguins" }).click()
  await expect(page).toHaveURL(`/work/${id}`)
  await expect(page.getByRole("button", { name: "Try again" })).toBeVisible()
  await expect(main.getByRole("alert")).toHaveCount(0)
  await desk.startServer()
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Count the penguins", { timeout: 60_000 })
})

test("a part whose code couldn't be loaded ahead is loaded when it is opened", async ({ page }) => {
  const file = /\/assets\/palette-.*\.js$/
  let isAway = true
  await page.route(file, (route) => (isAway ? route.abort() : route.continue()))
  const failed = page.waitForEvent("requestfailed", (request) => file.test(request.url()))
  await page.clock.install()
  await page.goto("/work")
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
  await page.clock.fastForward(11_000)
  await failed
  isAway = false
  await page.clock.resume()
  await page.keyboard.press("ControlOrMeta+k")
  await expect(page.getByRole("dialog", { name: "Go to" }).getByRole("combobox")).toBeVisible()
})

test("a Work that is opened while the desk is away says so, and the list says it once", async ({ page, desk }) => {
  // Without code that was loaded ahead.
  await savingData(page)
  await createWork(desk, { title: "Count the penguins" })
  await page.goto("/work")
  const row = page.getByRole("link", { name: "Count the penguins" })
  await expect(row).toBeVisible()
  await desk.stopServer()
  await page.getByRole("button", { name: /Refresh/ }).click()
  const silence = page.getByRole("status").filter({ hasText: "The desk hasn't responded since" })
  await expect(silence).toBeVisible({ timeout: 60_000 })
  await expect(page.getByRole("button", { name: "Refresh" })).toHaveAttribute("aria-busy", "false")
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0)
  await row.click()
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This page couldn't be loaded")
  await expect(page.getByRole("alert")).toContainText("The page reloads when the desk responds again.")
  await desk.startServer()
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Count the penguins", { timeout: 60_000 })
})

test.describe("where people sign in", () => {
  test.use({ deskOptions: { people: true } })

  test("a dialog says that the desk is away, and can be left with the comment kept", async ({ page, desk }) => {
    await changeAccess(desk, everybodyMay)
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { summary: "The payroll" })
    await signInAs(page, "Ada Lovelace", "/approvals")
    await page.getByRole("main").getByRole("link", { name: "The payroll" }).click({ timeout: 20_000 })
    const dialog = page.getByRole("dialog")
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click()
    await press("Hand to")
    await expect(dialog.getByRole("combobox", { name: "To" })).toBeVisible()
    await press("Cancel")
    await desk.stopServer()
    await expect(page.getByText(/hasn't responded since/)).toBeVisible({ timeout: 60_000 })
    await press("Hand to")
    await expect(dialog.getByRole("alert")).toContainText("can't be reached")
    await press("Cancel")
    await expect(dialog).toHaveCount(0)
    await press("Decline")
    await dialog.getByRole("textbox", { name: "Comment" }).fill("Not this month")
    await press("Cancel")
    await expect(dialog).toHaveCount(0)
    await press("Decline")
    await expect(dialog.getByRole("textbox", { name: "Comment" })).toHaveValue("Not this month")
    await page.keyboard.press("Escape")
    await expect(dialog).toHaveCount(0)
  })

  test("a Work that is opened after the session has ended shows the lock, and the Work after the sign-in", async ({
    page,
    context,
    desk,
  }) => {
    await createWork(desk, { title: "Count the penguins", visibility_scope: "organization" })
    await signInAs(page, "Ada Lovelace", "/work")
    const row = page.getByRole("link", { name: "Count the penguins" })
    await expect(row).toBeVisible()
    await context.clearCookies()
    // A poll of the page may show the lock before a click of the mouse arrives.
    await row.dispatchEvent("click")
    await expect(lock(page)).toBeVisible()
    await expect(page.getByRole("heading", { name: "Something went wrong" })).toHaveCount(0)
    const other = await context.newPage()
    await signInAs(other, "Ada Lovelace", "/work")
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Count the penguins")
  })
})
