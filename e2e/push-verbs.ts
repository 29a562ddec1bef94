import { createECDH } from "node:crypto"
import type { LaunchOptions, Page, Worker } from "@playwright/test"
import { findBrowser } from "./chromium.ts"
import { expect } from "./fixtures.ts"

/** Options of the desk with push. */
export const deskWithPush = { people: true, environment: { NOTICE_CONTACT: "mailto:desk@example.com" } } as const

/**
 * The whole Chromium, which keeps banners and can be asked for a permission. Debian's headless shell can do neither. Nobody can answer its
 * prompts, so it refuses what a test has not permitted.
 */
export const wholeChromium = (options: LaunchOptions): LaunchOptions => ({
  ...options,
  ...findBrowser(),
  args: [...(options.args ?? []), "--deny-permission-prompts"],
})

export const thisBrowser = (page: Page) => page.getByRole("region", { name: "This browser" })
export const pushButton = (page: Page) => thisBrowser(page).getByRole("button", { name: "Push to this device" })

const newKeys = () => ({
  p256dh: createECDH("prime256v1").generateKeys("base64url"),
  auth: Buffer.alloc(16, 1).toString("base64url"),
})

/** Adds devices to the person of the page, as other browsers would. */
export async function addDevices(page: Page, labels: readonly string[]): Promise<void> {
  const { person } = await (await page.request.get("/desk/session")).json()
  for (const [index, label] of labels.entries()) {
    const data = { endpoint: `https://fcm.googleapis.com/fcm/send/${index}`, keys: newKeys(), label }
    const added = await page.request.post("/desk/push", { data, headers: { "Desk-Person": person.id } })
    expect(added.status()).toBe(201)
  }
}

/** Chromium cannot subscribe without the push service of its maker, so this returns the subscription that the service would return. */
export async function subscribeWithoutService(page: Page): Promise<void> {
  const subscription = { endpoint: "https://fcm.googleapis.com/fcm/send/this", keys: newKeys() }
  await page.addInitScript((json) => {
    const given = { toJSON: () => json, unsubscribe: () => Promise.resolve(true) }
    Object.assign(PushManager.prototype, { subscribe: () => Promise.resolve(given) })
  }, subscription)
}

/** Registers the worker of the page's desk as the app does, without a subscription. */
export async function registerWorker(page: Page): Promise<void> {
  await subscribeWithoutService(page)
  await page.goto("/notices")
  await pushButton(page).click()
  await expect(thisBrowser(page)).toContainText("This device gets pushes")
}

/**
 * Returns a function that delivers a push message to the worker of a page, and resolves with the title and the path of the banner. The worker reports
 * when it has shown the banner, because Chromium removes a banner that a test asks for while it is being shown.
 */
export async function openDelivery(page: Page): Promise<(data: string) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page)
  const origin = new URL(page.url()).origin
  const found = Promise.withResolvers<string>()
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
    if (first !== undefined) found.resolve(first.registrationId)
  })
  await session.send("ServiceWorker.enable")
  const registrationId = await found.promise
  const worker = workerOf(page)
  await worker.evaluate(`(() => {
    globalThis.shown = []
    const { showNotification } = ServiceWorkerRegistration.prototype
    ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
      await showNotification.call(this, title, options)
      shown.push([title, options.data])
    }
  })()`)
  let delivered = 0
  return async (data) => {
    delivered++
    await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data })
    await expect.poll(() => worker.evaluate("shown.length")).toBe(delivered)
    return worker.evaluate("shown.at(-1)")
  }
}

function workerOf(page: Page): Worker {
  const [worker] = page.context().serviceWorkers()
  if (worker === undefined) throw new Error("no worker")
  return worker
}

/**
 * Clicks on a banner by its event at the worker. A browser lets a worker focus or open a tab only after the click of a person, so both are replaced
 * here. Returns the addresses that the worker opened in new tabs, once no banner is left. With `raises: false` Chromium itself refuses to focus.
 */
export async function clickBanner(page: Page, title: string, { raises = true } = {}): Promise<unknown> {
  return workerOf(page).evaluate(`(async () => {
    const opened = []
    const { focus } = WindowClient.prototype
    if (${raises}) WindowClient.prototype.focus = function () { return Promise.resolve(this) }
    Clients.prototype.openWindow = (address) => Promise.resolve(void opened.push(address))
    const notification = (await registration.getNotifications()).find(({ title }) => title === ${JSON.stringify(title)})
    const event = new NotificationEvent("notificationclick", { notification })
    let done
    event.waitUntil = (promise) => void (done = promise)
    dispatchEvent(event)
    await done
    WindowClient.prototype.focus = focus
    while ((await registration.getNotifications()).length > 0);
    return opened
  })()`)
}
