import type { Page } from "@playwright/test"

type ChosenFile = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }

/** A file as `setInputFiles` takes it. */
export const file = (name: string, content: string | Buffer): ChosenFile => ({
  name,
  mimeType: "",
  buffer: Buffer.from(content),
})
export const create = (page: Page) => page.getByRole("button", { name: "Create Work" })
export const alert = (page: Page) => page.getByRole("main").getByRole("alert")

/** The row of an input. */
export const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name })

/** Opens New Work and fills the required fields. */
export async function fill(page: Page, objective = "Count the rows", colleague = "analyst"): Promise<void> {
  await page.goto("/work/new")
  await chooseColleague(page, colleague)
  await page.getByLabel("Objective").fill(objective)
}

const colleagues = (page: Page) => page.getByRole("radiogroup", { name: "Colleague" })

/** The choice of a colleague that the desk offers. */
export const colleagueChoice = (page: Page, id: string) => colleagues(page).locator(`input[value="${id}"]`)

/** Chooses a colleague that the desk offers, or enters another id. A desk that offers none has only a text field. */
export async function chooseColleague(page: Page, id: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Colleague", exact: true })
  await colleagues(page).or(field).waitFor()
  if (await field.isVisible()) return field.fill(id)
  if ((await colleagueChoice(page, id).count()) > 0) return colleagueChoice(page, id).check()
  await page.getByRole("radio", { name: "Another id…" }).check()
  await page.getByRole("textbox", { name: "Colleague id" }).fill(id)
}

/** Adds files to the inputs. */
export async function choose(page: Page, ...files: ChosenFile[]): Promise<void> {
  await page.getByLabel("Inputs").setInputFiles(files)
}

/** Waits for the page of the new Work. */
export const arrived = (page: Page) => page.waitForURL(/\/work\/(?!new)[^/?]+$/)
