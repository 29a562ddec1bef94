/** Proxies that compress JSON rewrite its ETags. Behind them choices can still be saved, and an idle page sends few requests. */
import { once } from "node:events"
import { createServer, request as forward } from "node:http"
import type { AddressInfo } from "node:net"
import {
  type Front,
  isInstalled,
  startApacheWithDeflate,
  startNginxWithGzip,
} from "../deploy/testing/compressing-fronts.ts"
import { expect, test as base } from "./fixtures.ts"
import { createQuietWork } from "./inbox-verbs.ts"
import { navigation, signInAs } from "./people-verbs.ts"
import { addApproval } from "./revise.ts"
import { badgeOf, countRequests } from "./waiting-tabs.ts"

type Rewrite = (etag: string) => string | undefined

type Case = {
  readonly name: string
  readonly program: string
  readonly start: (desk: URL) => Promise<Front>
  /** What the program does to an ETag, for a machine without the program. */
  readonly rewrite: Rewrite
  /** Whether the desk cannot hold a request behind it, because its weak ETags come back changed. */
  readonly breaksWaiting: boolean
}

const CASES: readonly Case[] = [
  {
    name: "Apache with DEFLATE, which adds a suffix to",
    program: "apache2",
    start: (desk) => startApacheWithDeflate(desk, "AddSuffix"),
    rewrite: (etag) => etag.replace(/"$/, '-gzip"'),
    breaksWaiting: true,
  },
  {
    name: "Apache with DEFLATE, which removes",
    program: "apache2",
    start: (desk) => startApacheWithDeflate(desk, "Remove"),
    rewrite: () => undefined,
    breaksWaiting: true,
  },
  {
    name: "nginx with gzip, which weakens",
    program: "nginx",
    start: startNginxWithGzip,
    rewrite: (etag) => (etag.startsWith("W/") ? etag : `W/${etag}`),
    breaksWaiting: false,
  },
]

const test = base.extend<{ startFront: (of: Case) => Promise<string> }>({
  deskOptions: { people: true, environment: { SMTP_URL: "smtp://127.0.0.1:9", NOTICE_FROM: "desk@example.com" } },
  startFront: async ({ desk }, provide) => {
    const fronts: Front[] = []
    await provide(async ({ program, start, rewrite }) => {
      const target = new URL(desk.url)
      const front = isInstalled(program) ? await start(target) : await startRewriting(target, rewrite)
      fronts.push(front)
      return front.url
    })
    for (const front of fronts) await front.stop()
  },
})

/** Rewrites the ETags of all answers. */
async function startRewriting(target: URL, rewrite: Rewrite): Promise<Front> {
  const server = createServer((incoming, outgoing) => {
    const { origin, ...others } = incoming.headers
    const own = { host: target.host, ...(origin === undefined ? {} : { origin: target.origin }) }
    const headers = { ...others, ...own }
    const up = forward(new URL(incoming.url ?? "", target), { method: incoming.method, headers })
    up.on("response", (response) => {
      const { etag, ...kept } = response.headers
      const rewritten = etag === undefined ? undefined : rewrite(etag)
      outgoing.writeHead(response.statusCode ?? 502, { ...kept, ...(rewritten !== undefined && { etag: rewritten }) })
      response.pipe(outgoing)
      response.on("error", () => outgoing.destroy())
    })
    up.on("error", () => outgoing.destroy())
    incoming.pipe(up)
    outgoing.on("close", () => up.destroy())
  })
  server.listen(0, target.hostname)
  await once(server, "listening")
  return {
    url: `http://${target.hostname}:${String((server.address() as AddressInfo).port)}`,
    async stop() {
      server.closeAllConnections()
      await once(server.close(), "close")
    },
  }
}

for (const front of CASES) {
  test(`behind ${front.name} ETags, a view, the notices and an absence are saved`, async ({ page, startFront }) => {
    await signInAs(page, "Ada Lovelace")
    const url = await startFront(front)
    await page.goto(`${url}/work?q=october&sort=due`)
    await page.getByRole("button", { name: "Save view" }).click()
    const dialog = page.getByRole("dialog", { name: "Save view" })
    await dialog.getByRole("textbox", { name: "Name" }).fill("October close")
    await dialog.getByRole("button", { name: "Save" }).click()
    const view = navigation(page).getByRole("link", { name: "October close" })
    await expect(view).toBeVisible()

    await page.goto(`${url}/notices`)
    const mail = page.getByRole("combobox", { name: "Mail" })
    await expect(mail).toHaveValue("hourly")
    const isSaved = page.waitForResponse(
      (answer) => answer.request().method() === "PUT" && answer.url().endsWith("/desk/notices"),
    )
    await mail.selectOption("Daily")
    expect((await isSaved).status()).toBe(200)
    const away = page.getByRole("region", { name: "Away" })
    await away.getByLabel("Until").fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16))
    await away.getByRole("button", { name: "Save" }).click()
    await expect(away).toContainText("Saved")
    await page.reload()
    await expect(view).toBeVisible()
    await expect(mail).toHaveValue("daily")
    await expect(page.getByRole("status").filter({ hasText: "You are marked as away until" })).toBeVisible()
  })

  test(`behind ${front.name} ETags, a page at rest asks at most once in ten seconds`, async ({
    page,
    context,
    desk,
    startFront,
  }) => {
    addApproval(desk, (await createQuietWork(desk)).id, { summary: "A request" })
    await signInAs(page, "Ada Lovelace")
    const url = await startFront(front)
    await page.clock.install()
    const requests = countRequests(context)
    await page.goto(`${url}/approvals`)
    await expect(badgeOf(page)).toHaveText("Approvals 1")
    /** Advances the clock second by second. After each second, waits for the answers that aren't held. */
    const rest = async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        await page.clock.runFor(1_000)
        // A request that the desk holds stays open.
        if (front.breaksWaiting) await expect.poll(() => requests.open().length).toBe(0)
      }
    }
    // The app needs a few answers to learn that the front does not let the desk hold a request.
    await rest(15)
    const before = requests.all.length
    await rest(55)
    expect(requests.all.length - before).toBeLessThanOrEqual(6)
  })
}
