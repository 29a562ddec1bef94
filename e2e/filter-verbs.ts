import type { Locator, Page } from "@playwright/test"
import { expect } from "./fixtures.ts"

/** Opens the panel `Filters` of a list, if it is closed. */
export async function openFilters(page: Page): Promise<Locator> {
  const button = page.getByRole("button", { name: /^Filter( \d+)?$/ })
  await expect(button).toBeVisible()
  if ((await button.getAttribute("aria-expanded")) === "false") await button.click()
  return page.getByRole("region", { name: "Filters" })
}

/** Selects an option of a filter by its label or value. */
export async function filterBy(page: Page, name: string, option: string): Promise<void> {
  await (await openFilters(page)).getByRole("combobox", { name, exact: true }).selectOption(option)
}
