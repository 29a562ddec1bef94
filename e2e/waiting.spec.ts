import { once } from "node:events"
import { createServer, request as forward, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Page } from "@playwright/test"
import { expect, test } from "./fixtures.ts"
import { createQuietWork, decide, openItem } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"
import { badgeOf, countRequests, expectOneRequestOf } from "./waiting-tabs.ts"

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
  await desk.stopDashboard()
  await desk.startDashboard()
  addApproval(desk, works[0]?.id ?? "", { summary: "A later request" })
  await expect(badgeOf(page)).toHaveText("Approvals 4")
  // With `+` while the new desk has not checked all Work.
  const counts = (await badgeTexts(page)).map((text) => Number(/\d+/.exec(text)?.[0] ?? 0))
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(3)
  await expect(page.getByText("no longer waits")).toHaveCount(0)
  await expect(page.getByRole("link", { name: /Request of|A later request/ })).toHaveCount(4)
})

/** A network that cuts the requests for what waits that take longer than 0.7 s, as some balancers do. */
async function startCuttingFront(target: string): Promise<{ server: Server; url: string; cut: () => number }> {
  let cuts = 0
  const server = createServer((incoming, outgoing) => {
    const up = forward(new URL(incoming.url ?? "", target), { method: incoming.method, headers: incoming.headers })
    up.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    up.on("error", () => outgoing.destroy())
    incoming.pipe(up)
    const timer = setTimeout(() => {
      if (outgoing.headersSent || incoming.url?.startsWith("/desk/waiting") !== true) return
      cuts++
      incoming.socket.destroy()
    }, 700)
    outgoing.on("close", () => {
      clearTimeout(timer)
      up.destroy()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    server,
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    cut: () => cuts,
  }
}

test("where the network cuts long requests, the desk is asked every ten seconds without them", async ({
  page,
  context,
  desk,
}) => {
  const front = await startCuttingFront(desk.url)
  try {
    const work = await createQuietWork(desk)
    addApproval(desk, work.id, { summary: "The first request" })
    const requests = countRequests(context)
    await page.goto(`${front.url}/approvals`)
    await expect(badgeOf(page)).toHaveText("Approvals 1")
    await expect.poll(front.cut).toBeGreaterThanOrEqual(1)
    // The change may come while a request is held, which is then answered early. That does not show that the network holds requests.
    addApproval(desk, work.id, { summary: "The second request" })
    await expect(badgeOf(page)).toHaveText("Approvals 2", { timeout: 12_000 })
    const lastTwo = () => requests.all.slice(-2).map(({ isHeld }) => isHeld)
    await expect.poll(lastTwo, { timeout: 30_000 }).toEqual([false, false])
    const [last = 0, next = 0] = requests.all.slice(-2).map(({ at }) => at)
    expect(next - last).toBeGreaterThan(9_000)
    await expect(page.getByRole("alert")).toHaveCount(0)
    // Counted here and not at the network: Chromium itself sends a GET again on other connections.
    expect(requests.all.filter(({ isCut }) => isCut)).toHaveLength(2)
  } finally {
    front.server.closeAllConnections()
    front.server.close()
  }
})
