import { once } from "node:events"
import { createServer, request as forward, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { addApproval } from "./revise.ts"
import { badgeOf, countRequests } from "./waiting-tabs.ts"

/** Starts a proxy that cuts the requests for what waits after 0.7 s, as some load balancers do. */
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
    await expect(badgeOf(page)).toHaveText("Approvals 2", { timeout: 30_000 })
    const lastTwo = () => requests.all.slice(-2).map(({ isHeld }) => isHeld)
    await expect.poll(lastTwo, { timeout: 30_000 }).toEqual([false, false])
    const [last = 0, next = 0] = requests.all.slice(-2).map(({ at }) => at)
    // Without the pause the next request follows within a second.
    expect(next - last).toBeGreaterThan(5_000)
    await expect(page.getByRole("alert")).toHaveCount(0)
    // Counted here and not at the network: Chromium itself sends a GET again on other connections.
    expect(requests.all.filter(({ isCut }) => isCut)).toHaveLength(2)
  } finally {
    front.server.closeAllConnections()
    front.server.close()
  }
})

test("an answer of a network's own sign-in page is said, and the desk is asked again", async ({ page, desk }) => {
  addApproval(desk, (await createQuietWork(desk)).id, { summary: "A request" })
  await page.route("**/desk/waiting*", (route) => route.fulfill({ contentType: "text/html", body: "<p>Sign in</p>" }), {
    times: 2,
  })
  await page.goto("/approvals")
  await expect(page.getByRole("alert")).toContainText("The response can't be read")
  await expect(page.getByRole("link", { name: "A request" })).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole("alert")).toHaveCount(0)
})
