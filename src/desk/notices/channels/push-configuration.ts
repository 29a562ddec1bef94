/** Reads the environment variables of push: `NOTICE_CONTACT`, which is the switch, and `PUSH_HOSTS`. */
import type { PeopleConfiguration } from "../../people/sign-in-configuration.ts"
import { isPlainAddress } from "../../people/plain-address.ts"
import { demand, type Environment } from "../../../platform/environment.ts"

export type PushConfiguration = {
  /** A mailto: or https: address by which a push service reaches who runs the desk. */
  readonly contact: string
  /** Names of hosts. `*.` before a name stands for one or more labels. */
  readonly hosts: readonly string[]
}

/** The push services of Chromium, Firefox, Safari and Edge. */
export const USUAL_PUSH_HOSTS = "fcm.googleapis.com,*.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com"

const HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/

/** Undefined: the desk has no push. @throws ConfigurationError */
export function readPushConfiguration(env: Environment, people: PeopleConfiguration): PushConfiguration | undefined {
  const { NOTICE_CONTACT: contact, PUSH_HOSTS: hosts } = env
  if (contact === undefined) {
    demand(hosts === undefined, "PUSH_HOSTS is set, but NOTICE_CONTACT is not")
    return undefined
  }
  demand(people.mode === "sign-in", "NOTICE_CONTACT needs sign-in: set OIDC_ISSUER, so that devices belong to people")
  demand(
    isContact(contact),
    "NOTICE_CONTACT must be an address such as mailto:desk@example.com or https://example.com/",
  )
  const names = (hosts ?? USUAL_PUSH_HOSTS).split(",").map((name) => name.trim().toLowerCase())
  demand(
    names.every((name) => HOST.test(name)),
    "PUSH_HOSTS must be host names such as push.example or *.push.example, separated by commas",
  )
  return { contact, hosts: names }
}

function isContact(text: string): boolean {
  const [, address] = /^mailto:(.+)$/i.exec(text) ?? []
  if (address !== undefined) return isPlainAddress(address)
  return /^https:\/\/[^@/?#\\\s\p{Cc}]+(?:[/?][^#\\\s\p{Cc}]*)?$/iu.test(text) && URL.canParse(text)
}

const ENDPOINT_MAX = 2_000

/** Reads the address of a subscription. Undefined unless it is https at one of `hosts`, at the usual port and without a user. */
export function readEndpoint(text: string, hosts: readonly string[]): URL | undefined {
  // The parser of URLs alone would accept `https:\\host`, and would leave out tabs, line breaks and the port 443.
  if (text.length > ENDPOINT_MAX || !/^https:\/\/[a-z0-9][a-z0-9.-]*(?::443)?\/[^#\\\s\p{Cc}]*$/iu.test(text))
    return undefined
  const url = URL.parse(text)
  const isAt = (name: string) =>
    name.startsWith("*.") ? url?.hostname.endsWith(name.slice(1)) === true : url?.hostname === name
  return url !== null && hosts.some(isAt) ? url : undefined
}
