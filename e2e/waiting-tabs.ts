import type { BrowserContext, Page } from "@playwright/test"
import { expect } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"
import type { Desk } from "./start-desk.ts"

/** The requests for pending items that the tabs of a browser have sent. */
export function countRequests(context: BrowserContext) {
  const requests: { page: Page; at: number; isHeld: boolean; isCut: boolean; ended: boolean }[] = []
  context.on("request", (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname !== "/desk/waiting") return
    const isHeld = search !== ""
    const seen = { page: request.frame().page(), at: performance.now(), isHeld, isCut: false, ended: false }
    requests.push(seen)
    const end = (response: object | null) => {
      seen.isCut = response === null
      seen.ended = true
    }
    void request.response().then(end, () => end(null))
  })
  return { all: requests, open: () => requests.filter(({ ended, page }) => !ended && !page.isClosed()) }
}

export const badgeOf = (page: Page) =>
  page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /Approvals/ })

type Parts = { readonly page: Page; readonly context: BrowserContext; readonly desk: Desk }

/** Opens `count` tabs. Expects that one of them asks for all tabs, and that another one does so when it closes. */
export async function expectOneRequestOf(count: number, { page, context, desk }: Parts): Promise<void> {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The first request" })
  const requests = countRequests(context)
  await page.goto("/work")
  await expect(badgeOf(page)).toHaveText("Approvals 1")
  const tabs: Page[] = []
  while (tabs.length < count - 1) {
    const tab = await context.newPage()
    tabs.push(tab)
    await tab.goto("/work")
    await expect(badgeOf(tab)).toHaveText("Approvals 1")
  }
  expect(requests.all.every((request) => request.page === page)).toBe(true)
  await expect.poll(() => requests.open().length).toBe(1)

  await page.close()
  await expect.poll(() => requests.open().length).toBe(1)
  addApproval(desk, work.id, { summary: "The second request" })
  for (const tab of tabs) await expect(badgeOf(tab)).toHaveText("Approvals 2")
  await expect.poll(() => requests.open().length).toBe(1)
}
