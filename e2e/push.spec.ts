import { createECDH } from "node:crypto"
import type { Page } from "@playwright/test"
import { expect, expectAccessibleInLightAndDark, test } from "./fixtures.ts"
import { signInAs } from "./people-verbs.ts"

test.use({
  deskOptions: { people: true, environment: { NOTICE_CONTACT: "mailto:desk@example.com" } },
  permissions: ["notifications"],
})

/** Chromium without Google's services cannot subscribe, so this gives the subscription that a push service would give. */
async function subscribeWithoutService(page: Page): Promise<void> {
  const p256dh = createECDH("prime256v1").generateKeys("base64url")
  const subscription = {
    endpoint: "https://fcm.googleapis.com/fcm/send/this",
    keys: { p256dh, auth: Buffer.alloc(16, 1).toString("base64url") },
  }
  await page.addInitScript((json) => {
    const given = { toJSON: () => json, unsubscribe: () => Promise.resolve(true) }
    Object.assign(PushManager.prototype, { subscribe: () => Promise.resolve(given) })
  }, subscription)
}

/** Keeps the banners of the worker instead of showing them, because Chromium without a screen shows none. */
async function keepBanners(page: Page): Promise<() => Promise<unknown>> {
  const [worker] = page.context().serviceWorkers()
  if (worker === undefined) throw new Error("no worker")
  await worker.evaluate(() => {
    Object.assign(globalThis, { shown: [] })
    ServiceWorkerRegistration.prototype.showNotification = (title, options) => {
      Reflect.get(globalThis, "shown").push([title, options?.data])
      return Promise.resolve()
    }
  })
  return () => worker.evaluate(() => Reflect.get(globalThis, "shown").toSorted())
}

test("a person pushes to this device, sees it in the list and removes it, and the worker says what waits", async ({
  page,
}) => {
  await subscribeWithoutService(page)
  await signInAs(page, "Ada Lovelace")
  await page.goto("/notices")
  const section = page.getByRole("region", { name: "This browser" })
  const button = section.getByRole("button", { name: "Push to this device" })
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0)
  await button.click()
  const device = section.getByRole("listitem")
  await expect(device).toContainText(/Chrome on \w+, since \d+ \w+/)
  await expect(section.getByRole("checkbox", { name: "Push", exact: true })).toBeChecked()
  await expectAccessibleInLightAndDark(page)

  const session = await page.context().newCDPSession(page)
  const origin = new URL(page.url()).origin
  const found = Promise.withResolvers<string>()
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
    if (first !== undefined) found.resolve(first.registrationId)
  })
  await session.send("ServiceWorker.enable")
  const registrationId = await found.promise
  const deliver = (data: string) => session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data })
  const banners = await keepBanners(page)
  await deliver(JSON.stringify({ kind: "approval", number: 1, path: "/approvals?item=a" }))
  await deliver(JSON.stringify({ kind: "items", number: 3, path: "//evil.example/approvals" }))
  await deliver(JSON.stringify({ kind: "own done", number: 1, path: "/work/1" }))
  await deliver(JSON.stringify({ kind: "works", number: 3, path: "/work" }))
  await deliver("no JSON")
  await expect.poll(banners).toEqual([
    ["3 items wait", "/"],
    ["3 of your Works changed", "/work"],
    ["An approval waits", "/approvals?item=a"],
    ["Something waits at Workdesk", "/"],
    ["Your Work is done", "/work/1"],
  ])

  await device.getByRole("button", { name: "Remove" }).click()
  await expect(device).toHaveCount(0)
  await expect(button).toBeEnabled()
})

test("the desk can be installed", async ({ request, desk }) => {
  const manifest = await (await request.get(`${desk.url}/app.webmanifest`)).json()
  expect(manifest).toMatchObject({ name: "Workdesk", display: "standalone", start_url: "/" })
  for (const { src } of manifest.icons) expect((await request.get(`${desk.url}${src}`)).status(), src).toBe(200)
  const worker = await request.get(`${desk.url}/push.js`)
  expect([worker.status(), worker.headers()["cache-control"]]).toEqual([200, "no-cache"])
})
