import type { Page } from "@playwright/test"
import { test as base, expect } from "./fixtures.ts"
import { answer, createQuietWork, openItem, QUESTION, readToTheEnd, RESOLVE, SUMMARY } from "./inbox-verbs.ts"
import { arrived, choose, create, file, fill, row } from "./new-work-verbs.ts"
import { addApproval, addAttention, revise } from "./revise.ts"

// React logs each failure that a boundary has caught, so this test does not compare what the page logs.
const test = base.extend({
  complaints: async ({}, provide) => provide([]), // oxlint-disable-line no-empty-pattern -- Playwright reads the pattern
})

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

/** Does to the page what the translation of Chromium does: each text is taken out, and stands within two new elements. */
function translate(page: Page): Promise<void> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode)
    for (const text of texts) {
      if (text.data.trim() === "" || text.parentElement?.closest("script, style, textarea, option, svg")) continue
      const [outer, inner] = [document.createElement("font"), document.createElement("font")]
      inner.textContent = text.data
      outer.append(inner)
      text.replaceWith(outer)
    }
  })
}

test("the page asks browsers not to translate it", async ({ page }) => {
  await page.goto("/work")
  await expect(page.locator("html")).toHaveAttribute("translate", "no")
  await expect(page.locator("meta[name=google]")).toHaveAttribute("content", "notranslate")
})

test("no letter is approved that the browser has replaced, and the decision is about the version that is read", async ({
  page,
  desk,
  relay,
}) => {
  const work = await createQuietWork(desk)
  const id = addApproval(desk, work.id, { body: "Pay 900 EUR." })
  await openItem(page, "/approvals", SUMMARY)
  await expect(button(page, "Approve")).toBeEnabled()
  await translate(page)
  await expect(button(page, "Approve")).toBeDisabled()
  await expect(button(page, "Decline")).toBeDisabled()
  revise(desk, "approval", id, { body: "Pay 90,000 EUR." })
  await expect(page.getByText("There is a newer version")).toBeVisible({ timeout: 40_000 })
  await translate(page)
  await button(page, "Show version 2").click()
  await expect(page.getByRole("article")).toContainText("Pay 90,000 EUR.")
  await expect(button(page, "Approve")).toBeDisabled()
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)

  await button(page, "Show the original").click()
  await expect(page.getByText("Pay 90,000 EUR.")).toBeVisible()
  await expect(button(page, "Decline")).toBeEnabled()
  await readToTheEnd(page)
  await button(page, "Approve").click()
  await translate(page)
  await expect(page.getByRole("dialog")).toContainText("This changed while you had it open")
  await expect(button(page, "Confirm approve")).toBeDisabled()
  await button(page, "Cancel").click()
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await button(page, "Show the original").click()
  await button(page, "Approve").click()
  relay.fail("POST", RESOLVE, { kind: "lose-answer" }, 1)
  await button(page, "Confirm approve").click()
  await expect(page.getByRole("main").getByRole("alert").first()).toBeVisible()
  await translate(page)
  await page.getByRole("main").getByRole("button", { name: "Send again" }).first().click()
  await expect(page.getByRole("article")).toContainText("Approved")
  expect(relay.mutations().map(({ ifMatch }) => ifMatch)).toEqual(['"2"', '"2"'])
})

test("a question is answered on a translated page", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addAttention(desk, work.id)
  await openItem(page, "/needs-you", QUESTION)
  await expect(button(page, "Send answer")).toBeVisible()
  await translate(page)
  await page.getByRole("textbox", { name: "Your answer" }).fill("Keep the older row")
  await expect(button(page, "Send answer")).toBeDisabled()
  await button(page, "Show the original").click()
  await expect(page.getByRole("textbox", { name: "Your answer" })).toHaveValue("Keep the older row")
  await answer(page, "Keep the newer row")
  await expect(page.getByRole("article")).toContainText("Keep the newer row")
  await translate(page)
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Work", exact: true }).click()
  await expect(page.getByRole("heading", { level: 1, name: "Work" })).toBeVisible()
})

test("Work is created on a translated page", async ({ page }) => {
  await fill(page)
  await translate(page)
  await choose(page, file("orders.csv", "city,amount\nParis,3\n"))
  await expect(row(page, "orders.csv").getByText("Ready")).toBeVisible()
  await translate(page)
  await row(page, "orders.csv")
    .getByRole("button", { name: /Remove/ })
    .click()
  await expect(row(page, "orders.csv")).toHaveCount(0)
  await translate(page)
  await choose(page, file("orders.csv", "city,amount\nParis,3\n"))
  await expect(row(page, "orders.csv").getByText("Ready")).toBeVisible()
  await translate(page)
  await create(page).click()
  await arrived(page)
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  await translate(page)
  await page.context().setOffline(true)
  await expect(page.getByText("You're offline")).toBeVisible()
  await translate(page)
  await page.context().setOffline(false)
  await expect(page.getByText("You're offline")).toHaveCount(0)
  await expect(page.getByRole("heading", { name: "Something went wrong" })).toHaveCount(0)
})

test("every page and every dialog goes on after its texts were replaced", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id)
  addAttention(desk, work.id)
  await page.goto("/work")
  const main = page.getByRole("navigation", { name: "Main" })
  for (const name of ["Overview", "Needs You", "Approvals", "New Work", "Record", "Notices", "Work"]) {
    await translate(page)
    const link = main.getByRole("link", { name, exact: name === "Work" })
    await ((await link.count()) > 0 ? link.first().click() : page.goto(`/${name.toLowerCase()}`))
    await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible()
  }
  await translate(page)
  await page.keyboard.press("ControlOrMeta+k")
  await expect(page.getByRole("dialog", { name: "Go to" })).toBeVisible()
  await translate(page)
  await page.keyboard.type("Overview")
  await translate(page)
  await page.keyboard.press("Enter")
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible()
  await translate(page)
  await page.keyboard.press("?")
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible()
  await translate(page)
  await page.keyboard.press("Escape")
  await expect(page.getByRole("dialog")).toHaveCount(0)

  await button(page, "Freeze…").click()
  await translate(page)
  await page.getByRole("dialog").getByRole("textbox", { name: "Reason" }).fill("A colleague runs wild")
  await translate(page)
  await page.getByRole("dialog").getByRole("button", { name: "Freeze" }).click()
  await expect(page.getByRole("alert")).toContainText("A colleague runs wild")
  await expect(page.getByRole("dialog")).toHaveCount(0)

  await openItem(page, "/approvals", SUMMARY)
  await translate(page)
  await button(page, "Set aside").click()
  await translate(page)
  await button(page, "In an hour").click()
  await expect(page.getByText("Set aside (1)")).toBeVisible()
  await translate(page)
  await page.getByText("Set aside (1)").click()
  await page.getByRole("button", { name: "Bring back" }).first().click()
  await expect(page.getByText("Set aside (1)")).toHaveCount(0)
  await expect(page.getByRole("heading", { name: "Something went wrong" })).toHaveCount(0)
})
