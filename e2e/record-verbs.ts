import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Page } from "@playwright/test"
import { inRecord } from "../src/desk/record/hash-chain.ts"
import { openDatabase } from "../src/desk/store/open-store.ts"
import { expect } from "./fixtures.ts"
import type { Desk } from "./start-desk.ts"

export const entries = (page: Page) => page.getByRole("list", { name: "Entries" }).getByRole("listitem")

/** Creates Work through the desk as the person of `page`. A second call with the same `key` sends the same mutation again. */
export async function createAsPerson(
  page: Page,
  title: string,
  colleague = "editor",
  scope: "private" | "organization" = "organization",
  key: string = crypto.randomUUID(),
): Promise<string> {
  return page.evaluate(
    async ([title, colleague, scope, key]) => {
      const session = await (await fetch("/desk/session")).json()
      const answer = await fetch("/api/v1/work", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "idempotency-key": key,
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
    [title, colleague, scope, key] as const,
  )
}

/** Adds `count` recorded decisions to the record of a running desk: `Letter 0` and so on. */
export async function addDecisions(desk: Desk, count: number): Promise<void> {
  const store = await openDatabase({ dataFolder: join(desk.dataFolder, "..", "desk"), databaseUrl: undefined })
  await inRecord({ database: store, onStored: () => undefined }, async ({ append }) => {
    for (let index = 0; index < count; index++) {
      const { sequence } = await append({
        kind: "intent",
        person: "local",
        roles: ["reader", "approver"],
        operation: "resolveWorkApproval",
        work_id: `work_${index}`,
        item_id: `approval_${index}`,
        decision: "approve",
        version: 1n,
        summary: `Letter ${index}`,
        body_hash: `sha256:${"c".repeat(64)}`,
        request_id: `request_${index}`,
        key_hash: crypto.randomUUID(),
        input_hash: "1".repeat(64),
      })
      await append({ kind: "outcome", intent: sequence, outcome: "recorded", status: 200 })
    }
  })
  await store.close()
}

/** Loads the whole record with the keys of the list, and leaves the focus on its oldest entry. */
export async function goToTheBeginning(page: Page): Promise<void> {
  await expect(entries(page).first()).toBeVisible()
  await page.keyboard.press("j")
  await expect(entries(page).first().locator("summary")).toBeFocused()
  await expect(async () => {
    await page.keyboard.press("End")
    await expect(page.getByText("Beginning of the record")).toBeVisible({ timeout: 300 })
  }).toPass({ intervals: [30] })
  // Rows that are measured later move the list, so one End may stop above its last rows.
  await expect(async () => {
    await page.keyboard.press("End")
    await expect(entries(page).last()).toBeInViewport({ timeout: 300 })
  }).toPass({ intervals: [30] })
  await expect(entries(page).last().locator("summary")).toBeFocused()
}

/** The queries of all reads of the record from now on. */
export function readsOf(page: Page): string[] {
  const reads: string[] = []
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === "/desk/record") reads.push(search)
  })
  return reads
}

/** Exports the record, and returns the lines of the file. */
export async function exportRecord(page: Page): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export JSON Lines" }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^workdesk-record-\d{4}-\d\d-\d\d\.jsonl$/)
  return (await readFile(await download.path(), "utf8")).trimEnd().split("\n")
}
