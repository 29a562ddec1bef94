/** Finds the client's address behind balancers, and the address by which a client is limited (`docs/operating.md`, "Behind a balancer"). */
import type { IncomingMessage } from "node:http"
import { BlockList, isIP, SocketAddress } from "node:net"
import { demand } from "../environment.ts"

/** The balancers whose `X-Forwarded-For` and `traceparent` are believed. */
export type TrustedProxies = { readonly has: (address: string) => boolean }

// `::ffff:a.b.c.d` has 96 bits before the IPv4 address.
const BITS_BEFORE_MAPPED = 96

const nobody: TrustedProxies = { has: () => false }

/** Reads TRUSTED_PROXIES: addresses and networks (CIDR), comma-separated. @throws ConfigurationError when one of them is neither */
export function readTrustedProxies(value: string | undefined): TrustedProxies {
  if (value === undefined) return nobody
  const list = new BlockList()
  for (const item of value.split(",")) addTo(list, item.trim())
  return { has: (address) => list.check(address, familyOf(address)) }
}

function addTo(list: BlockList, item: string): void {
  const [, written = "", digits] = /^([^/]*?)(?:\/(\d{1,3}))?$/.exec(item) ?? []
  const address = written.includes("%") ? "" : (canonicalAddress(written) ?? "")
  const family = familyOf(address)
  const bits = family === "ipv4" ? 32 : 128
  // The prefix of a mapped address counts from the beginning of the IPv6 address.
  const isMapped = family === "ipv4" && written.includes(":")
  const prefix = digits === undefined ? bits : Number(digits) - (isMapped ? BITS_BEFORE_MAPPED : 0)
  demand(
    address !== "" && prefix >= 0 && prefix <= bits,
    "TRUSTED_PROXIES must be IP addresses or networks such as 10.0.0.0/8, separated by commas",
  )
  list.addSubnet(address, prefix, family)
}

const familyOf = (address: string): "ipv4" | "ipv6" => (address.includes(":") ? "ipv6" : "ipv4")

/** The one spelling of an address. `::ffff:a.b.c.d` becomes the IPv4 address, and a zone is dropped. Undefined when the text is no address. */
function canonicalAddress(text: string): string | undefined {
  const family = isIP(text)
  if (family !== 6) return family === 4 ? text : undefined
  const { address } = new SocketAddress({ address: text.replace(/%.*$/, ""), family: "ipv6" })
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address
}

/** An entry of `X-Forwarded-For` may have a port. */
function addressIn(entry: string): string | undefined {
  const [, inBrackets, withPort] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? []
  return canonicalAddress(inBrackets ?? withPort ?? entry)
}

/** The address at the other end of the connection. Empty when the client has left. */
export function peerOf({ socket }: IncomingMessage): string {
  return canonicalAddress(socket.remoteAddress ?? "") ?? ""
}

/**
 * The client's address: the peer, or for a trusted peer the last entry of `X-Forwarded-For` that is not trusted. If all entries are trusted,
 * the first entry. The search from the last entry ends at an entry that is no address, because a client could have written what is before.
 */
export function clientOf(request: IncomingMessage, trusted: TrustedProxies): string {
  let client = peerOf(request)
  // Node joins repeated headers of this name.
  const entries = request.headers["x-forwarded-for"]?.toString().split(",") ?? []
  while (trusted.has(client)) {
    const next = addressIn(entries.pop()?.trim() ?? "")
    if (next === undefined) break
    client = next
  }
  return client
}

// An IPv6 address has eight groups of 16 bits.
const GROUPS = 8
const GROUPS_OF_64 = 4

/** The address by which requests are counted: an IPv4 address, or the /64 of an IPv6 address, because one client may use all of it. */
export function limitedAddress(client: string): string {
  if (!client.includes(":")) return client
  const [left = [], right = []] = client.split("::").map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: Math.max(0, GROUPS - left.length - right.length) }, () => "0")
  return [...left, ...zeros, ...right].slice(0, GROUPS_OF_64).join(":")
}
