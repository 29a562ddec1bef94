/** Push to this browser and to the person's other devices (`docs/notices.md`). */
import { array, object, string } from "valibot"
import type { PushDevice } from "../../contract/desk-people.ts"
import { answerOf, askDesk, deskQuery, writePath } from "./desk-request.ts"
import { jsonRequest } from "./desk-writes.ts"
import { DeskError } from "./desk-error.ts"
import { defineKind, useEntry } from "./storage.ts"
import { trustedAddress } from "./trusted-address.ts"

const ADDRESS = "/desk/push"
const WORKER = "/push.js"

const device = object({ id: string(), label: string(), since: string() })

/** The desk's key, and the devices of the person. A desk without push, or an older one, answers 404. */
export const pushOptions = deskQuery(["push"], ADDRESS, object({ key: string(), devices: array(device) }), {
  retry: (count, error) => count < 2 && error.status !== 404,
})

/**
 * - `can`: the browser supports push.
 * - `home-screen`: it supports push once the desk is on the home screen (iOS and iPadOS).
 * - `cannot`: it does not support push, or the page is not protected by https.
 */
export function pushAbility(): "can" | "home-screen" | "cannot" {
  if ("serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis) return "can"
  // An iPad calls itself a Mac. Only Apple's phones and tablets know `standalone`.
  return isSecureContext && "standalone" in navigator ? "home-screen" : "cannot"
}

/** Which of the devices this browser is. */
const thisDevice = defineKind<readonly [], string>({
  name: "push-device",
  schema: string(),
  keptDays: 3650,
})

export const useThisDevice = (): string | undefined => useEntry(thisDevice())

const workerAddress = trustedAddress("push-worker", WORKER)

/**
 * Asks the person for the permission, subscribes this browser, and registers it at the desk. Called by a click alone.
 * @returns false where the person or the browser gave no permission @throws DeskError
 */
export async function pushToThisDevice(key: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== "granted") return false
  const { endpoint, keys } = (await subscribe(key)).toJSON()
  const body = { endpoint, keys, label: deviceLabel(navigator.userAgent) }
  const added: PushDevice = await answerOf(await askDesk(ADDRESS, jsonRequest("POST", body)), device)
  thisDevice().write(added.id)
  return true
}

async function subscribe(key: string): Promise<PushSubscription> {
  try {
    await navigator.serviceWorker.register(workerAddress(), { scope: "/", updateViaCache: "none" })
    const { pushManager } = await navigator.serviceWorker.ready
    const before = await pushManager.getSubscription()
    // Used again, because the desk may still push to it, and the browser may refuse another one now.
    if (before !== null && isMadeWith(before, key)) return before
    // A subscription with another key receives nothing from this desk, and prevents a new subscription.
    await before?.unsubscribe()
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  } catch {
    throw new DeskError({
      kind: "unsent",
      title: "Push isn't available",
      detail: "The browser can't reach its push service, or push is switched off in its settings.",
    })
  }
}

function isMadeWith({ options }: PushSubscription, key: string): boolean {
  const made = String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? new ArrayBuffer()))
  // The desk's key is base64url without padding, and `btoa` writes base64.
  return btoa(made).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === key
}

/** Removes a device of the person. @throws DeskError */
export async function removeDevice(id: string): Promise<void> {
  await askDesk(writePath(`${ADDRESS}/{id}`, { id }), { method: "DELETE" })
  if (thisDevice().read() !== id) return
  thisDevice().remove()
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe().catch(() => false)
}

/** Makes the desk send a test to a device. @returns the result @throws DeskError */
export async function testDevice(id: string): Promise<string> {
  const answer = await askDesk(writePath(`${ADDRESS}/{id}/test`, { id }), { method: "POST" })
  return (await answerOf(answer, tested)).state
}

const tested = object({ state: string() })

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, "Android"],
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Windows/, "Windows"],
  [/Mac OS/, "Mac"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
]

/** The name of this browser: "Firefox on Linux". */
function deviceLabel(userAgent: string): string {
  const find = (names: typeof BROWSERS, other: string) => names.find(([sign]) => sign.test(userAgent))?.[1] ?? other
  return `${find(BROWSERS, "A browser")} on ${find(SYSTEMS, "a device")}`
}
