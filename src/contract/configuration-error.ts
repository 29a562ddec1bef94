/** What every program's configuration shares: the error that ends a start, and the rule for plain http. */
import { isIPv4 } from "node:net"

/**
 * A wrong or missing value of the environment. It ends the start with one plain line that names the variable. The message repeats no
 * value, because a value may be a secret.
 */
export class ConfigurationError extends Error {}

/** Whether `host`, a name without brackets and port, is this machine itself, so that nothing sent to it leaves the machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
}

/** Whether nobody on a network can read what is sent to `url`: the address is https, or http on this machine. */
export function isProtected(url: URL): boolean {
  if (url.protocol === "https:") return true
  return url.protocol === "http:" && isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1"))
}
