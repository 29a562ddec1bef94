/** Reads `NOTICE_CHAT_URL`: the addresses of chats, each with its format. */
import { createHash } from "node:crypto"
import { parseUrl } from "../../../platform/environment.ts"
import { FileFault } from "../../../platform/reread-files.ts"
import { type FormatName, isFormatName } from "./chat-formats.ts"

/** The whole address is a secret. */
export type ChatAddress = {
  /** The address in the outbox and in the log: its host, and a short hash that distinguishes it from other addresses of the host. */
  readonly recipient: string
  readonly url: URL
  readonly format: FormatName
}

/** The chats that are known by their host. */
const HOSTS: readonly (readonly [host: RegExp, format: FormatName])[] = [
  [/^hooks\.slack\.com$/, "slack"],
  [/.\.(?:webhook\.office|logic\.azure|powerplatform)\.com$/, "teams"],
]

/** Reads the text of NOTICE_CHAT_URL. @throws FileFault */
export function readChatAddresses(text: string): readonly ChatAddress[] {
  const addresses = text.trim().split(/\s+/).map(readAddress)
  if (new Set(addresses.map(({ url }) => url.href)).size === addresses.length) return addresses
  throw new FileFault("has the same address twice")
}

function readAddress(text: string): ChatAddress {
  const [, named, address = text] = /^format=([^#]*)#(.*)$/.exec(text) ?? []
  const url = parseUrl(address, ["path", "query"])
  if (url === undefined) {
    const expected = "one or more addresses with spaces between them, each https:// (or http:// on this machine)"
    throw new FileFault(`must be ${expected}, without a user or fragment`)
  }
  const format = named ?? HOSTS.find(([host]) => host.test(url.hostname))?.[1]
  if (format === undefined || !isFormatName(format)) {
    throw new FileFault(
      "must have format=slack#, format=teams#, format=mattermost# or format=discord# before each address, unless Slack or Teams hosts it",
    )
  }
  const hash = createHash("sha256").update(url.href).digest("base64url").slice(0, 12)
  return { recipient: `${url.hostname} ${hash}`, url, format }
}
