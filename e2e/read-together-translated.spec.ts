import { expect } from "./fixtures.ts"
import { test, translate } from "./translate.ts"
import { addAlike, boxOf, openTogether, progressOf, readTogether, saidOf } from "./together-verbs.ts"

test("on a translated page no letters are chosen, and the original has to be seen anew", async ({ page, desk }) => {
  await addAlike(desk, 2)
  await openTogether(page, 2)
  await readTogether(page)
  await boxOf(page, 0).click()
  await translate(page)
  await expect(page.getByText(/Your browser or an extension changed this text/)).toBeVisible()
  await expect(boxOf(page, 1)).toBeDisabled()
  await page.keyboard.press("a")
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await page.getByRole("button", { name: "Show the original" }).click()
  await readTogether(page)
  await expect(saidOf(page, 0)).toContainText("No longer chosen.")
  for (const index of [0, 1]) await expect(boxOf(page, index)).toBeEnabled()
  await expect(progressOf(page)).toHaveText("0 chosen")
})
