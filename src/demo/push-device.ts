/**
 * A device of the demonstration, which takes what the desk pushes to Ada without a push service. Its endpoint has a name that is led to the page of the
 * demonstration: everything before that, the list of devices, the encryption and the signature, is as for a browser's device.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { USUAL_PUSH_HOSTS } from "../desk/notices/channels/push-configuration.ts"
import { decryptPush, newBrowserKeys } from "../desk/notices/channels/push-receiver.ts"
import { signInAs } from "./sign-in-as.ts"

/** `leadTo` sends the requests for this host to the page of the demonstration. */
const HOST = "demonstration.push.example"
const WORKER = join(import.meta.dirname, "../../public/push.js")

/** For PUSH_HOSTS: real browsers too may take push, where this machine reaches their push services. */
export const DEMONSTRATION_PUSH_HOSTS = `${USUAL_PUSH_HOSTS},${HOST}`

/** What a browser would show for a push. */
export type Banner = { readonly title: string; readonly path: string }

export class PushDevice {
  readonly #browser = newBrowserKeys()

  /** Signs in as Ada and adds the device, or gives the device of an earlier start its new keys. @throws Error when the desk does not take it */
  async addTo(deskUrl: string): Promise<void> {
    const headers = { ...(await signInAs(deskUrl, "ada")), "Content-Type": "application/json" }
    const { keys } = this.#browser
    const body = JSON.stringify({ endpoint: `https://${HOST}/ada`, keys, label: "Demonstration page" })
    const answer = await fetch(new URL("/desk/push", deskUrl), { method: "POST", headers, body })
    if (!answer.ok) throw new Error(`the desk did not accept the demonstration's device: ${answer.status}`)
  }

  /** Opens a push, and returns what the worker of a browser shows for it. Throws when the push is not for this device. */
  open(body: Buffer): Banner {
    return showBanner(decryptPush(body, this.#browser))
  }
}

/** Has the desk's own worker read a message. */
function showBanner(message: string): Banner {
  const listeners = new Map<string, (event: object) => void>()
  let banner: Banner | undefined
  const registration = {
    showNotification: (title: string, { data }: { data: string }) => void (banner = { title, path: data }),
  }
  const self = {
    addEventListener: (type: string, hear: (event: object) => void) => listeners.set(type, hear),
    registration,
  }
  // The origin does not matter, because a path is all that the page shows.
  runInNewContext(readFileSync(WORKER, "utf8"), { self, URL, location: { origin: "http://localhost" } })
  listeners.get("push")?.({ data: { json: () => JSON.parse(message) }, waitUntil() {} })
  if (banner === undefined) throw new Error("the worker showed no notification")
  return banner
}
