/** Guards against requests of other sites: the allowed hosts, and the origin of requests to the API and the desk. */
import type { IncomingMessage } from "node:http"
import { Refused } from "../../platform/http/send.ts"
import { crossSiteRefused } from "./desk-refusals.ts"

// A name or an IPv6 address in brackets, and an optional port. No trailing dot, no user, no list.
const HOST = /^([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/
const ORIGIN = /^(https?):\/\/([^/?#@\s]+)$/
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" }

type HostAndPort = { name: string; port: string | undefined }

function parseHost(text: string): HostAndPort | undefined {
  const match = HOST.exec(text.toLowerCase())
  return match?.[1] === undefined ? undefined : { name: match[1], port: match[2] }
}

/**
 * Whether a request names an allowed host. This stops DNS rebinding, where the host name of another page leads to this desk. Node accepts two
 * Host headers, none, and a target in absolute form (`GET http://elsewhere/`), which would count instead of Host: these are refused too.
 */
export function hasAllowedHost(request: IncomingMessage, allowed: ReadonlySet<string>): boolean {
  if (!hasOneHost(request)) return false
  if (request.url === undefined || (!request.url.startsWith("/") && request.url !== "*")) return false
  const host = parseHost(request.headers.host ?? "")
  return host !== undefined && allowed.has(host.name)
}

/** Counts in `rawHeaders`, because Node drops a second Host header from `headers`, and `headersDistinct` is slower. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === "host") count++
  }
  return count === 1
}

/**
 * Refuses requests to `/api` and `/desk` from pages of other origins. Pages on other ports of this machine count as same-site, so only
 * `same-origin` and `none` (an address that the person typed) pass. `Origin` must have the host and port of `Host`. The schemes may
 * differ, because TLS may end before the desk. A client that is not a browser sends neither header and passes.
 * @throws Refused
 */
export function checkOrigin(request: IncomingMessage): void {
  if (!isOfOwnPage(request)) throw new Refused(crossSiteRefused)
}

function isOfOwnPage(request: IncomingMessage): boolean {
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  const { origin } = request.headers
  if (origin === undefined) return true
  const [, scheme = "", authority = ""] = ORIGIN.exec(origin.toLowerCase()) ?? []
  const from = parseHost(authority)
  const host = parseHost(request.headers.host ?? "")
  if (from === undefined || host === undefined || from.name !== host.name) return false
  const defaultPort = DEFAULT_PORTS[scheme]
  return (from.port ?? defaultPort) === (host.port ?? defaultPort)
}

/**
 * Whether the browser opens this address as a page, by a link, form or redirect such as an identity provider's. A script cannot make such
 * a request, and a subresource has another mode or destination (W3C Fetch Metadata Request Headers).
 */
export function isNavigation({ headers }: IncomingMessage): boolean {
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
}
