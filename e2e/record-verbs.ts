import { readFile } from "node:fs/promises"
import type { Page } from "@playwright/test"
import { expect } from "./fixtures.ts"

export const entries = (page: Page) => page.getByRole("list", { name: "Entries" }).getByRole("listitem")

/** Creates Work through the desk as the person of `page`. */
export async function createAsPerson(
  page: Page,
  title: string,
  colleague = "editor",
  scope: "private" | "organization" = "organization",
): Promise<string> {
  return page.evaluate(
    async ([title, colleague, scope]) => {
      const session = await (await fetch("/desk/session")).json()
      const answer = await fetch("/api/v1/work", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "idempotency-key": crypto.randomUUID(),
          "desk-person": session.person.id,
        },
        body: JSON.stringify({
          colleague_id: colleague,
          objective: "Look at it",
          title,
          visibility_scope: scope,
        }),
      })
      return (await answer.json()).id ?? String(answer.status)
    },
    [title, colleague, scope],
  )
}

/** Exports the record, and gives the lines of the file. */
export async function exportRecord(page: Page): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export JSON Lines" }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^workdesk-record-\d{4}-\d\d-\d\d\.jsonl$/)
  return (await readFile(await download.path(), "utf8")).trimEnd().split("\n")
}
