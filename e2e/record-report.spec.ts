import { readFile } from "node:fs/promises"
import type { Page } from "@playwright/test"
import { expect, expectAccessible, test } from "./fixtures.ts"
import { filterBy } from "./filter-verbs.ts"
import { addDecisions } from "./record-verbs.ts"
import { readReport } from "../src/desk/record/testing/parse-csv.ts"

const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Report" })

/** Presses Enter in the dialog, and returns the name and the text of the saved report. */
async function saveWithEnter(page: Page): Promise<readonly [name: string, text: string]> {
  const saved = page.waitForEvent("download")
  await page.keyboard.press("Enter")
  const download = await saved
  await expect(dialogOf(page)).toBeHidden()
  return [download.suggestedFilename(), await readFile(await download.path(), "utf8")]
}

test("a report is saved with the keyboard alone, and has the days, the format and the filters of the page", async ({
  page,
  desk,
}) => {
  await addDecisions(desk, 3)
  await page.goto("/record")
  await filterBy(page, "Operation", "resolveWorkApproval")
  await page.keyboard.press("Escape")
  const open = page.getByRole("button", { name: "Report…" })
  await open.focus()
  await page.keyboard.press("Enter")
  const dialog = dialogOf(page)
  await expect(dialog.getByLabel("From")).toBeFocused()
  await expect(dialog.getByRole("region", { name: "Filters of the page" })).toContainText(/Operation\s*Approvals/)
  await expectAccessible(page)
  const [csvName, csv] = await saveWithEnter(page)
  expect(csvName).toMatch(/^workdesk-report-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)
  const { title, lines } = readReport(csv)
  expect(title).toMatch(/ \(UTC\), the whole record, only operation resolveWorkApproval$/)
  expect(lines.filter(({ section }) => section === "decision").map(({ summary }) => summary)).toEqual([
    "Letter 0",
    "Letter 1",
    "Letter 2",
  ])
  expect(lines.at(-1)).toMatchObject({ section: "chain", action: "complete" })

  await expect(open).toBeFocused()
  await page.keyboard.press("Enter")
  await dialog.getByLabel("Format").focus()
  await page.keyboard.type("Page")
  await expect(dialog.getByLabel("Format")).toHaveValue("html")
  await dialog.getByRole("button", { name: "Save report" }).focus()
  const [htmlName, html] = await saveWithEnter(page)
  expect(htmlName).toMatch(/\.html$/)
  expect(html).toContain("Letter 2")
})

test("the dialog says why a period is refused, keeps what was chosen after an error, and Escape leaves it", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto("/record?operation=takeItem")
  await page.getByRole("button", { name: "Report…" }).click()
  const dialog = dialogOf(page)
  const save = dialog.getByRole("button", { name: "Save report" })
  await expect(dialog.getByRole("alert")).toHaveText(/doesn't list these entries/)
  await expect(save).toBeDisabled()
  await page.keyboard.press("Escape")
  await expect(dialog).toBeHidden()

  await page.goto("/record")
  await page.getByRole("button", { name: "Report…" }).click()
  await dialog.getByLabel("From").fill("2026-03-02")
  await dialog.getByLabel("To").fill("2026-03-01")
  await expect(dialog).toContainText("The first day must not be after the last one.")
  await expect(save).toBeDisabled()
  await dialog.getByLabel("To").fill("2027-03-03")
  await expect(dialog).toContainText("The period is longer than 366 days.")
  await dialog.getByLabel("To").fill("2027-03-02")
  await expect(save).toBeEnabled()
  const busy = {
    type: "urn:workdesk:problem:proxy-reports-busy",
    title: "A report is in progress",
    status: 503,
    detail: "Your last report is still being written.",
    instance: "urn:workdesk:request:r",
    code: "PROXY_REPORTS_BUSY",
    request_id: "r",
    retryable: true,
  }
  await page.route("**/desk/record/report?*", (route) =>
    route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(busy) }),
  )
  await save.click()
  await expect(dialog.getByRole("alert")).toContainText("Your last report is still being written.")
  await expectAccessible(page)
  await expect(dialog.getByLabel("From")).toHaveValue("2026-03-02")
  expect(await dialog.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  await page.unroute("**/desk/record/report?*")
  const saved = page.waitForEvent("download")
  await save.click()
  expect((await saved).suggestedFilename()).toBe("workdesk-report-2026-03-02-2027-03-02.csv")
  await expect(dialog).toBeHidden()
})
