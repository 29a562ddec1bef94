import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { pushToThisDevice } from "./own-push-devices.ts"
import { setOwner } from "./storage.ts"

afterEach(() => vi.unstubAllGlobals())

beforeEach(() => setOwner("ada"))

const KEY = "AQID"

/** A browser with a subscription for `key`, whose push service gives no other subscription. */
function browserWith(key: readonly number[]) {
  const unsubscribe = vi.fn<() => Promise<boolean>>().mockResolvedValue(true)
  const subscription = {
    options: { applicationServerKey: new Uint8Array(key).buffer },
    toJSON: () => ({ endpoint: "https://push.example/1", keys: { p256dh: "p", auth: "a" } }),
    unsubscribe,
  }
  const pushManager = {
    getSubscription: async () => subscription,
    subscribe: async () => Promise.reject(new DOMException("The push service cannot be reached", "AbortError")),
  }
  vi.stubGlobal("Notification", { requestPermission: async () => "granted" })
  vi.stubGlobal("navigator", {
    userAgent: "Firefox/140 Linux",
    onLine: true,
    serviceWorker: { register: async () => undefined, ready: Promise.resolve({ pushManager }) },
  })
  vi.stubGlobal("fetch", async () => Response.json({ id: "dev_1", label: "Firefox on Linux", since: "2026-11-20" }))
  return { unsubscribe }
}

it("keeps the subscription of a device that is renewed, because the browser may not get another one", async () => {
  const { unsubscribe } = browserWith([1, 2, 3])
  expect(await pushToThisDevice(KEY)).toBe(true)
  expect(unsubscribe).not.toHaveBeenCalled()
})

it("ends a subscription for another key, which this desk can't use", async () => {
  const { unsubscribe } = browserWith([9])
  await expect(pushToThisDevice(KEY)).rejects.toMatchObject({ title: "Push isn't available" })
  expect(unsubscribe).toHaveBeenCalledTimes(1)
})
