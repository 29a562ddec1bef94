import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, openItem } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"
import { badgeOf, expectOneRequestOf } from "./waiting-tabs.ts"

/** Keeps every text that the badge has from now on. */
const watchBadge = (tab: Page) =>
  tab.evaluate(() => {
    const link = [...document.querySelectorAll("nav a")].find((each) => each.textContent.startsWith("Approvals"))
    const texts: string[] = []
    Object.assign(globalThis, { badgeTexts: texts })
    new MutationObserver(() => texts.push(link?.textContent ?? "")).observe(link ?? document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    })
  })

const badgeTexts = (tab: Page) => tab.evaluate(() => Reflect.get(globalThis, "badgeTexts") as string[])

test("three tabs send one request; when the tab that holds it closes, another takes over at once", async ({
  page,
  context,
  desk,
}) => {
  await expectOneRequestOf(3, { page, context, desk })
})

test("a visit reads the whole list once, and then asks for the changes alone; every tab shows them", async ({
  page,
  context,
  desk,
}) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The first request" })
  const asked: string[] = []
  context.on("request", (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname === "/desk/waiting") asked.push(search.replace(/W%2F.*/, "ETAG"))
  })
  const isHeld = page.waitForRequest(/since=W%2F/)
  await page.goto("/approvals")
  await expect(badgeOf(page)).toHaveText("Approvals 1")
  await isHeld
  const other = await context.newPage()
  await other.goto("/approvals")
  const changes: string[] = []
  page.on("response", async (response) => {
    if (response.status() === 200 && response.url().includes("since=")) changes.push(await response.text())
  })
  for (const [index, summary] of ["The second request", "The third request"].entries()) {
    addApproval(desk, (await createQuietWork(desk)).id, { summary })
    for (const tab of [page, other]) {
      await expect(badgeOf(tab)).toHaveText(`Approvals ${index + 2}`)
      await expect(tab.getByRole("link", { name: summary })).toBeVisible()
    }
  }
  // The preloads of the two visits.
  expect(asked.filter((search) => search !== "?wait=25&since=ETAG")).toEqual(["", ""])
  expect(changes.at(-1)).toContain("The third request")
  expect(changes.at(-1)).not.toMatch(/The (?:first|second) request/)
})

test("a decision leaves the badge of every tab at once, and does not come back", async ({ page, context, desk }) => {
  const work = await createQuietWork(desk)
  addApproval(desk, work.id, { summary: "The only request" })
  const other = await context.newPage()
  await other.goto("/work")
  await expect(badgeOf(other)).toHaveText("Approvals 1")
  await openItem(page, "/approvals", "The only request")
  await watchBadge(page)
  await watchBadge(other)
  await page.bringToFront()
  await decide(page, "approve")
  for (const tab of [page, other]) await expect(badgeOf(tab)).toHaveText("Approvals")
  // Long enough for every answer that was under way to arrive: the watcher reads a changed Work within two seconds.
  const again = addApproval(desk, work.id, { summary: "Another request" })
  expect(again).not.toBe("")
  for (const tab of [page, other]) {
    await expect(badgeOf(tab)).toHaveText("Approvals 1")
    const texts = await badgeTexts(tab)
    const gone = texts.indexOf("Approvals")
    expect(texts.slice(gone).filter((text) => text === "Approvals 1").length).toBeLessThanOrEqual(1)
  }
})

test("the desk restarts: what waits stays on the screen, and nothing is said to be gone", async ({ page, desk }) => {
  const works = [await createQuietWork(desk, "One"), await createQuietWork(desk, "Two"), await createQuietWork(desk)]
  for (const { id, title } of works) addApproval(desk, id, { summary: `Request of ${title}` })
  await page.goto("/approvals")
  await expect(badgeOf(page)).toHaveText("Approvals 3")
  await watchBadge(page)
  await desk.stopServer()
  await desk.startServer()
  addApproval(desk, works[0]?.id ?? "", { summary: "A later request" })
  await expect(badgeOf(page)).toHaveText("Approvals 4")
  // With `+` while the new desk has not checked all Work.
  const counts = (await badgeTexts(page)).map((text) => Number(/\d+/.exec(text)?.[0] ?? 0))
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(3)
  await expect(page.getByText("no longer pending")).toHaveCount(0)
  await expect(page.getByRole("link", { name: /Request of|A later request/ })).toHaveCount(4)
})
