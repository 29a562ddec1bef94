import type { Work } from "../src/contract/resources.ts"
import type { Desk } from "./start-desk.ts"
import { createWork, expect, type test, uploadInput } from "./fixtures.ts"
import { addApproval } from "./revise.ts"

type Page = Parameters<Parameters<typeof test>[2]>[0]["page"]

/** A Work that keeps running, asks nothing and is visible to everybody, so that only items of the test are pending in it. */
export function createQuietWork(desk: Desk, title = "Renewal letter to Halden Logistics"): Promise<Work> {
  return createWork(desk, { colleague_id: "metronome", objective: "rate=0.1", title, visibility_scope: "organization" })
}

/** The address of a decision or an answer. */
export const RESOLVE = /\/resolve$/

/** How the question of `addAttention` begins. */
export const QUESTION = "Two rows share invoice 4417"

/** The summary of `approvalToDecide`. */
export const SUMMARY = "Send the renewal letter"

/** A quiet Work with one pending approval. */
export async function approvalToDecide(desk: Desk): Promise<{ readonly workId: string; readonly id: string }> {
  const work = await createQuietWork(desk)
  return { workId: work.id, id: addApproval(desk, work.id) }
}

/** Creates Work whose colleague asks a question, and returns its id when the question is open. */
export async function createAsking(desk: Desk, title: string): Promise<string> {
  const { id } = await createWork(desk, { colleague_id: "editor", title })
  await desk.owner.waitForStatus(id, "needs_you")
  return id
}

/** Opens the item of an inbox whose name contains `name`. */
export async function openItem(page: Page, inbox: "/needs-you" | "/approvals", name: string): Promise<void> {
  await page.goto(inbox)
  await page.getByRole("link", { name }).click()
}

/** Opens an item that waits for others, in the folded list of the inbox on the page. */
export async function openForOthers(page: Page, name: string): Promise<void> {
  await page.getByText(/^Waiting for others \(/).click()
  await page.getByRole("link", { name }).click()
}

/** Makes `approvalToDecide`, and opens it in its inbox. */
export async function openApproval(page: Page, desk: Desk): ReturnType<typeof approvalToDecide> {
  const made = await approvalToDecide(desk)
  await openItem(page, "/approvals", SUMMARY)
  return made
}

/** Reads the letter, presses Approve or Decline, types the comment and confirms. */
export async function decide(page: Page, decision: "approve" | "decline", comment?: string): Promise<void> {
  if (decision === "approve") await readToTheEnd(page)
  await page.getByRole("button", { name: decision === "approve" ? "Approve" : "Decline", exact: true }).click()
  const dialog = page.getByRole("dialog")
  if (comment !== undefined) await dialog.getByRole("textbox", { name: "Comment" }).fill(comment)
  await dialog.getByRole("button", { name: `Confirm ${decision}` }).click()
}

/** Presses `Read to the end` until it is gone. Returns what was visible above the bar before each press, in pixels from the top of the page. */
export async function readToTheEnd(page: Page): Promise<(readonly [top: number, bottom: number])[]> {
  await expect(page.getByRole("button", { name: "Decline", exact: true }).first()).toBeEnabled()
  // What the desk knows about the destination pushes the letter down, and then the letter has to be read again.
  await expect(page.getByRole("region", { name: "Before you decide" }).locator("[class*=skeleton]")).toHaveCount(0)
  return page.evaluate(async () => {
    const frames = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const windows: [number, number][] = []
    for (;;) {
      const next = [...document.querySelectorAll("button")].find(
        (each) => each.textContent === "Read to the end" && each.checkVisibility({ visibilityProperty: true }),
      )
      if (next === undefined) return windows
      windows.push([scrollY, scrollY + (next.parentElement?.getBoundingClientRect().top ?? 0)])
      next.click()
      await frames()
    }
  })
}

/** Types an answer and sends it. */
export async function answer(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Your answer" }).fill(text)
  await page.getByRole("button", { name: "Send answer" }).click()
}

/** The approval as the service has it. */
export async function approvalOf(desk: Desk, workId: string, id: string) {
  const { data } = await desk.api.GET("/api/v1/work/{id}/approvals", { params: { path: { id: workId } } })
  return data?.data.find((approval) => approval.id === id)
}

/** Expects an alert that carries a Request ID with a value. */
export async function expectRequestId(page: Page): Promise<void> {
  await expect(page.getByRole("alert")).toContainText(/Request ID\s*\S+/)
}

/** Creates Work of the analyst and answers its question through the API, so that an approval waits. Returns the Work's id. */
export async function createWithApproval(desk: Desk, objective = "Profile the inputs"): Promise<string> {
  const upload = await uploadInput(desk, "orders.csv", "city,amount\nParis,3\nRome,4\n")
  const { id } = await createWork(desk, { objective, input_upload_ids: [upload], title: "Profile the orders" })
  await desk.owner.answer(id, "Go on")
  return id
}
