/** The rule for plain http: it never leaves this machine. */
import { isIPv4 } from "node:net"

/** Whether `host`, a name without brackets and port, is this machine itself, so that nothing sent to it leaves the machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
}

/** Whether nobody on a network can read what is sent to `url`: the address is https, or http on this machine. */
export function isProtected(url: URL): boolean {
  if (url.protocol === "https:") return true
  return url.protocol === "http:" && isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"))
}
