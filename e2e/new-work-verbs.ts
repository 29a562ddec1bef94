import type { Page } from "@playwright/test"

/** A file as `setInputFiles` takes it. */
export const file = (name: string, content: string) => ({ name, mimeType: "", buffer: Buffer.from(content) })
export const create = (page: Page) => page.getByRole("button", { name: "Create Work" })
export const alert = (page: Page) => page.getByRole("main").getByRole("alert")

/** Opens New Work and fills what a Work cannot be without. */
export async function fill(page: Page, objective = "Count the rows"): Promise<void> {
  await page.goto("/work/new")
  await page.getByLabel("Colleague").fill("analyst")
  await page.getByLabel("Objective").fill(objective)
}

/** Waits for the page of the new Work. */
export const arrived = (page: Page) => page.waitForURL(/\/work\/(?!new)[^/?]+$/)
