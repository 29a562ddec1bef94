import type { Page } from "@playwright/test"
import { artifacts, dialog as preview, openWork } from "./artifact-verbs.ts"
import { expect } from "./fixtures.ts"
import { openFilters } from "./filter-verbs.ts"
import { createQuietWork, openItem, readToTheEnd } from "./inbox-verbs.ts"
import { changeAccess, everybodyMay, lock, moreButton, openAs, signInAs } from "./people-verbs.ts"
import { createAsPerson } from "./record-verbs.ts"
import { addApproval } from "./revise.ts"
import { test, translate } from "./translate.ts"

/* Every dialog, banner and panel goes on to its end, although the texts of the page were replaced before each step. */

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole("dialog", { name })

/** Translates the page, and presses a button on it. */
async function press(page: Page, name: string | RegExp, within = page.locator("body")): Promise<void> {
  const found = within.getByRole("button", { name, exact: true }).first()
  await expect(found).toBeEnabled()
  await translate(page)
  await found.click()
}

/** Opens the dialog of a decision, in which nothing is sent while it is translated, and then decides on the original. */
async function decideOnTheOriginal(page: Page, opens: string, confirms: string, text: string): Promise<void> {
  const confirm = button(page, confirms)
  await readToTheEnd(page)
  await button(page, opens).click()
  await expect(confirm).toBeVisible()
  await translate(page)
  await page.getByRole("dialog").getByRole("textbox").fill(text)
  await expect(confirm).toBeDisabled()
  await button(page, "Cancel").click()
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await button(page, "Show the original").click()
  await expect(button(page, opens)).toBeEnabled()
  await button(page, opens).click()
  await expect(page.getByRole("dialog").getByRole("textbox")).toHaveValue(text)
  await confirm.click()
  await expect(page.getByRole("dialog")).toHaveCount(0)
}

const expectAlive = async (page: Page) => {
  await expect(page.getByRole("heading", { name: "Something went wrong" })).toHaveCount(0)
  await expect(page.getByText(/couldn.t be loaded/)).toHaveCount(0)
}

test("views, filters, decisions, and a freeze with its result", async ({ page, desk }) => {
  const work = await createQuietWork(desk)
  for (const summary of ["The first request", "The second request"]) addApproval(desk, work.id, { summary })
  await page.goto("/approvals?q=request")
  await translate(page)
  await openFilters(page)
  await press(page, "Save view")
  await dialog(page, "Save view").getByRole("textbox", { name: "Name" }).fill("Requests")
  await press(page, "Save", dialog(page, "Save view"))
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await press(page, "Rename Requests")
  await dialog(page, "Rename view").getByRole("textbox", { name: "Name" }).fill("Each request")
  await press(page, "Rename", dialog(page, "Rename view"))
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await press(page, "Remove Each request")
  await expect(button(page, "Remove Each request")).toHaveCount(0)
  await page.goto("/work?priority=normal")
  await press(page, /^Remove filter: Priority/)
  await expect(page).toHaveURL(/\/work$/)

  await openItem(page, "/approvals", "The first request")
  await decideOnTheOriginal(page, "Decline", "Confirm decline", "Not this one")
  await expect(page.getByRole("status").filter({ hasText: "The first request" })).toContainText("Declined")
  await expect(page.getByRole("heading", { name: "The second request" })).toBeVisible()
  await translate(page)
  await button(page, "Show the original").click()
  await decideOnTheOriginal(page, "Ask for a change", "Confirm decline and ask for a change", "Address it to Ana")
  await translate(page)
  await page.getByRole("link", { name: "Delegate again with this change" }).click()
  await expect(page.getByLabel("Objective")).toHaveValue(/Address it to Ana$/)
  await translate(page)

  await page.goto("/overview")
  await press(page, "Freeze…")
  await dialog(page, "Freeze").getByLabel("Applies to").selectOption("editor")
  await translate(page)
  await dialog(page, "Freeze").getByRole("textbox", { name: "Reason" }).fill("It sends letters in a loop")
  await press(page, "Freeze", dialog(page, "Freeze"))
  await expect(dialog(page, "Frozen")).toBeVisible()
  await press(page, "Close", dialog(page, "Frozen"))
  const banner = page.getByRole("main").getByRole("alert").first()
  await expect(banner).toContainText("in a loop")
  await press(page, "More", banner)
  await press(page, "End the freeze")
  await press(page, "Confirm the end", dialog(page, "End the freeze?"))
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0)
  await expectAlive(page)
})

test.describe("with results", () => {
  test.use({ deskOptions: { upstream: "artifacts" } })

  test("the preview and its neighbours, and the steps of a Work", async ({ page, artifactUpstream }) => {
    artifactUpstream.results = [
      { path: "report.md", mediaType: "text/markdown", content: "# A report\n\nSome words.\n" },
      { path: "cities.csv", mediaType: "text/csv", content: "id,name\n1,Paris\n" },
      { path: "notes.txt", mediaType: "text/plain", content: "The last" },
    ]
    await openWork(page)
    await expect(artifacts(page).getByRole("region", { name: "Beginning of report.md" })).toBeVisible()
    await press(page, "Preview report.md")
    await expect(preview(page).getByRole("heading", { name: "A report" })).toBeVisible()
    await press(page, "Next", preview(page))
    await expect(preview(page)).toContainText("1 row, 2 columns")
    await press(page, "Next", preview(page))
    await expect(preview(page)).toContainText("The last")
    await press(page, "Previous", preview(page))
    await expect(preview(page)).toContainText("1 row, 2 columns")
    await press(page, "Close", preview(page))
    await expect(page.getByRole("dialog")).toHaveCount(0)
    await translate(page)
    await page.getByRole("region", { name: "Activity" }).getByRole("link", { name: "Raw" }).click()
    await translate(page)
    await page.getByRole("region", { name: "Activity" }).getByRole("link", { name: "Steps" }).click()
    await expectAlive(page)
  })
})

test.describe("with people", () => {
  test.use({ deskOptions: { people: true } })

  test("a team's inbox, an absence, the news, and the end of the session", async ({ page, browser, desk }) => {
    await changeAccess(desk, () => ({ ...everybodyMay(), rules: [{ destination: "*", approvalsNeeded: 2 }] }))
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { summary: "The payroll" })
    const ben = await openAs(browser, desk, "Ben Okafor", "/needs-you")
    await signInAs(page, "Ada Lovelace", "/approvals")
    await page.getByRole("main").getByRole("link", { name: "The payroll" }).click({ timeout: 20_000 })
    const card = page.getByRole("article")
    await press(page, "Take it")
    await expect(card).toContainText("Taken by Ada Lovelace")
    await press(page, "Hand to")
    const handTo = dialog(page, "Hand to")
    await handTo.getByRole("combobox", { name: "To" }).selectOption("Ben Okafor")
    await press(page, "Hand over", handTo)
    await expect(page.getByRole("dialog")).toHaveCount(0)
    await expect(card).toContainText("Handed to Ben Okafor")
    await expect(card).not.toContainText("Taken by Ada Lovelace")
    await button(page, "Show the original").click()
    await expect(card).toContainText("Handed to Ben Okafor")
    await decideOnTheOriginal(page, "Approve", "Confirm approve", "Agreed")
    await expect(card).toContainText("Approved by you")
    await press(page, "Withdraw my approval")
    await expect(card).not.toContainText("Approved by you")

    const title = "What Ada delegates"
    const id = await createAsPerson(page, title)
    await expect.poll(async () => (await (await page.request.get("/desk/seen")).text()).includes(id)).toBe(true)
    await page.goto("/overview")
    await expect(page.getByRole("region", { name: "Since you were here" })).toBeVisible()
    await press(page, "Mark all as seen")
    await expect(page.getByRole("region", { name: "Since you were here" })).toHaveCount(0)

    await page.goto("/notices")
    const away = page.getByRole("region", { name: "Away" })
    await away.getByLabel("Until").fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16))
    await press(page, "Save", away)
    await expect(away).toContainText("Saved")
    await press(page, "End it")
    await expect(button(page, "End it")).toHaveCount(0)

    await translate(page)
    await moreButton(page, "Ada Lovelace").click()
    await expect(button(page, "Sign out")).toBeVisible()
    await translate(page)
    await page.keyboard.press("Escape")
    await page.request.post("/desk/sign-out")
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")))
    await expect(lock(page)).toBeVisible()
    await translate(page)
    // The provider still knows Ada.
    await lock(page).getByRole("button", { name: "Sign in" }).click()
    await expect(lock(page)).toHaveCount(0)
    await expectAlive(page)
    await ben.close()
  })
})
