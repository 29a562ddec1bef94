import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { approvalToDecide, createQuietWork } from "./inbox-verbs.ts"
import { arrived, fill } from "./new-work-verbs.ts"
import { addApproval, addAttention } from "./revise.ts"

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? "")
const focusedTag = (page: Page) => page.evaluate(() => document.activeElement?.tagName)

test.describe("in a narrow window", () => {
  test.use({ viewport: { width: 640, height: 700 } })

  test("a chosen item has the focus in its heading; going back, its row has it and the list its place", async ({
    page,
    desk,
  }) => {
    const work = await createQuietWork(desk)
    for (let count = 1; count <= 30; count++) addApproval(desk, work.id, { summary: `Request number ${count} of many` })
    await page.goto("/approvals")
    const row = page.getByRole("link", { name: "Request number 20 of many" })
    await expect(row).toBeVisible({ timeout: 30_000 })
    await row.scrollIntoViewIfNeeded()
    const place = await page.evaluate(() => scrollY)
    expect(place).toBeGreaterThan(500)
    await row.focus()
    await page.keyboard.press("Enter")
    await expect.poll(() => focusedTag(page)).toBe("H2")
    expect(await focused(page)).toContain("Request number 20 of many")
    const back = page.getByRole("link", { name: "Back to the list" })
    await back.focus()
    await page.keyboard.press("Enter")
    await expect(row).toBeFocused()
    expect(Math.abs((await page.evaluate(() => scrollY)) - place)).toBeLessThan(5)

    await row.click()
    await expect.poll(() => focusedTag(page)).toBe("H2")
    await page.goBack()
    await expect(row).toBeFocused()
  })
})

test("what is set aside by keyboard gives the focus to the next item, and the last one to its own card", async ({
  page,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The first request" })
  addApproval(desk, work.id, { summary: "The second request" })
  await page.goto("/approvals")
  await expect(page.getByRole("link", { name: "The second request" })).toBeVisible()
  await page.keyboard.press("j")
  await expect(page.getByRole("article")).toContainText("The first request")
  await page.keyboard.press("s")
  await expect(page.getByRole("dialog").getByRole("button", { name: "In an hour" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("article")).toContainText("The second request")
  await expect.poll(() => focused(page)).toContain("The second request")
  expect(await focusedTag(page)).toBe("H2")
  await page.keyboard.press("s")
  await expect(page.getByRole("dialog").getByRole("button", { name: "In an hour" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await expect(page.getByText("Set aside (2)")).toBeVisible()
  expect(await focusedTag(page)).not.toBe("BODY")
})

test("after a decision by keyboard the focus is on what the screen shows next", async ({ page, desk }) => {
  await approvalToDecide(desk)
  await page.goto("/approvals")
  await expect(page.getByRole("link", { name: /renewal letter/ })).toBeVisible()
  await page.keyboard.press("j")
  await expect(page.getByRole("button", { name: "Approve", exact: true })).toBeEnabled()
  await page.keyboard.press("a")
  const confirm = page.getByRole("button", { name: "Confirm approve" })
  await expect(confirm).toBeEnabled()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("article")).toContainText("Approved")
  expect(await focusedTag(page)).not.toBe("BODY")
})

test("a dialog that was opened while nothing had the focus gives the focus to the page", async ({ page }) => {
  await page.goto("/notices")
  await expect(page.getByRole("heading", { level: 1, name: "Notices" })).toBeVisible()
  expect(await focusedTag(page)).toBe("BODY")
  await page.keyboard.press("?")
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await dialog.getByRole("button", { name: "Close" }).focus()
  await page.keyboard.press("Enter")
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole("main")).toBeFocused()
})

test("the page has the focus while what a link opens is still loading, and then its heading", async ({
  page,
  desk,
}) => {
  const { title } = await createQuietWork(desk)
  const isHeld = Promise.withResolvers<void>()
  await page.route("**/assets/work-page*.js", async (route) => {
    await isHeld.promise
    await route.continue()
  })
  await page.goto("/work")
  await page.getByRole("main").getByRole("link", { name: title }).focus()
  await page.keyboard.press("Enter")
  await arrived(page)
  await expect(page.getByRole("main")).toBeFocused()
  isHeld.resolve()
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused()
})

test("what is typed on after Create Work presses no key of the Work's page", async ({ page }) => {
  await fill(page, "Look through the letter", "editor")
  const sent: string[] = []
  page.on("request", (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== "GET" && pathname !== "/desk/presence" && pathname !== "/desk/seen") sent.push(pathname)
  })
  await page.keyboard.press("ControlOrMeta+Enter")
  await arrived(page)
  await page.keyboard.type("st ad")
  const card = page.getByRole("region", { name: "Needs You" }).getByRole("article")
  await expect(card).toBeVisible({ timeout: 30_000 })
  // From then on the keys could act: the desk has read what waits.
  await expect(card.getByRole("button", { name: "Set aside" })).toBeVisible()
  await page.keyboard.type("st ad ts")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  expect(await focusedTag(page)).toBe("H1")
  expect(sent).toEqual(["/api/v1/work"])
  // The person moves the focus to the card: from then on the keys act on it.
  await card.getByRole("heading").first().click()
  await page.keyboard.press("s")
  await expect(page.getByRole("dialog")).toBeVisible()
})

test("the single keys act after a person has typed and gone back", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id, { title: "Which amount is right?" })
  await page.goto("/work")
  await page.goto("/needs-you")
  await page.getByRole("link", { name: "Which amount" }).click()
  const field = page.getByRole("textbox", { name: "Your answer" })
  const typeAndGoBack = async () => {
    await expect(page).toHaveURL(/item=/)
    await field.fill("")
    await field.pressSequentially("The first")
    await page.goBack()
    await expect(field).toHaveCount(0)
  }
  await typeAndGoBack()
  await page.keyboard.press("j")
  await expect(field).toBeVisible()
  await typeAndGoBack()
  await page.keyboard.press("/")
  await expect(page.getByRole("searchbox", { name: "Find words" })).toBeFocused()
  await page.getByRole("link", { name: "Which amount" }).click()
  await typeAndGoBack()
  await page.keyboard.press("?")
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
})
