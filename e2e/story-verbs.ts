import { readToTheEnd } from "./inbox-verbs.ts"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { expect } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

/** Decides about the letter to weather@harbour.example on the page of its Work. */
export async function decideAboutLetter(page: Page, decision: "approve" | "decline"): Promise<void> {
  const button = page
    .getByRole("region", { name: "Approvals" })
    .getByRole("button", { name: decision === "approve" ? "Approve" : "Decline" })
  if (decision === "approve") await readToTheEnd(page)
  await button.scrollIntoViewIfNeeded()
  await button.click()
  const dialog = page.getByRole("dialog")
  await expect(dialog).toContainText("weather@harbour.example")
  await dialog.getByRole("textbox", { name: "Comment" }).fill(`Yes, ${decision}`)
  await dialog.getByRole("button", { name: `Confirm ${decision}` }).click()
}

/** The names of the letters that the embedded service has sent. */
export function outbox({ dataFolder }: Desk): string[] {
  const path = join(dataFolder, "outbox")
  return existsSync(path) ? readdirSync(path) : []
}
