import { expect, type Locator, type Page } from "@playwright/test"
import type { Approval } from "../src/contract/resources.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/** The destination of the letter `index`. None is part of another. */
export const toOf = (index: number) => `to-${String(index).padStart(3, "0")}@halden.example`

/** A quiet Work with `count` alike letters. Returns the id of the Work, and those of the letters in their order. */
export async function addAlike(
  desk: Desk,
  count: number,
  fields: (index: number) => Partial<Record<keyof Approval, string>> = () => ({}),
): Promise<{ readonly workId: string; readonly ids: readonly string[] }> {
  const { id: workId } = await createQuietWork(desk)
  const ids = Array.from({ length: count }, (_, index) =>
    addApproval(desk, workId, {
      destination: toOf(index),
      summary: `Remind customer ${index}`,
      subject: `Reminder ${1000 + index}`,
      body: `Dear customer,\n\nplease pay ${index},50 EUR by Friday.`,
      ...fields(index),
    }),
  )
  return { workId, ids }
}

/** Waits until the desk has read the rules that ask for two approvals of a letter. A card reads the rules for each letter once. */
export const waitForTwoApprovals = (page: Page): Promise<void> =>
  expect.poll(() => page.evaluate(async () => (await fetch("/desk/waiting")).text())).toContain('"needed":2')

/** Opens the card of the alike letters whose inbox is on the page, or of `/approvals`. */
export async function openTogether(page: Page, count: number): Promise<void> {
  if (!page.url().includes("/approvals")) await page.goto("/approvals")
  await page.getByRole("button", { name: /^Read together/ }).click()
  await expect(page.getByRole("heading", { level: 2, name: `${count} alike letters` })).toBeVisible()
}

export const rowOf = (page: Page, index: number): Locator =>
  page.getByRole("table", { name: "Letters" }).getByRole("row", { name: toOf(index) })

/** What a row says about itself in its last cell. */
export const saidOf = (page: Page, index: number): Locator => rowOf(page, index).getByRole("cell").last()

export const boxOf = (page: Page, index: number): Locator => rowOf(page, index).getByRole("checkbox")

/** Presses `Read to the end` in the first element of `selector` until it is gone or does nothing. The browser draws between the presses. */
export const readToTheEndOf = (page: Page, selector: string): Promise<void> =>
  page.evaluate(async (within) => {
    const frames = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    for (let presses = 0; presses < 200; presses++) {
      const next = [...(document.querySelector(within)?.querySelectorAll("button") ?? [])].find(
        (each) =>
          each.textContent === "Read to the end" &&
          each.ariaDisabled !== "true" &&
          each.checkVisibility({ visibilityProperty: true }),
      )
      if (next === undefined) return
      next.click()
      await frames()
    }
  }, selector)

/** Reads until every row has been seen with what the desk knows about it. */
export async function readTogether(page: Page): Promise<void> {
  const unread = page
    .getByRole("table", { name: "Letters" })
    .getByText(/^(Not seen yet|Still checking the destination)$/)
  await expect
    .poll(
      async () => {
        await readToTheEndOf(page, "main")
        return unread.count()
      },
      { intervals: [50] },
    )
    .toBe(0)
}

/** Reads the letters, chooses all that can be chosen and opens the dialog. */
export async function askTogether(page: Page, decision: "Approve" | "Decline", count: number): Promise<Locator> {
  await readTogether(page)
  await page.getByRole("button", { name: "Choose all that are seen" }).click()
  await page.getByRole("button", { name: `${decision} ${count}…` }).click()
  const dialog = page.getByRole("dialog")
  await expect(dialog).toBeVisible()
  return dialog
}

export const progressOf = (page: Page): Locator => page.getByRole("status", { name: "Progress" })
