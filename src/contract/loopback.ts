import { isIPv4 } from "node:net"

/** Whether a host's name, without brackets and port, is this machine's own: nothing sent there passes a network. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
}

/** Whether an address is https, or http on this machine: what is sent there travels through no network in the clear. */
export function isProtected(url: URL): boolean {
  if (url.protocol === "https:") return true
  return url.protocol === "http:" && isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"))
}
