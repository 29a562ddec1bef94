import type { IncomingMessage } from "node:http"
import type { Refusal } from "../http/refusal.ts"
import { crossSiteRefused, hostRefused } from "./desk-refusals.ts"

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
 * Refuses a host name that is not allowed, for the app's files too. This stops DNS rebinding, where another page's host name leads to this
 * desk. Node accepts two Host headers, no Host header, and a target in absolute form (`GET http://elsewhere/`), which would count instead
 * of Host: these are refused too.
 */
export function checkHost(request: IncomingMessage, allowed: ReadonlySet<string>): Refusal | undefined {
  if (request.headersDistinct["host"]?.length !== 1) return hostRefused
  if (request.url === undefined || (!request.url.startsWith("/") && request.url !== "*")) return hostRefused
  const host = parseHost(request.headers.host ?? "")
  return host !== undefined && allowed.has(host.name) ? undefined : hostRefused
}

/**
 * Refuses requests to `/api` and `/desk` from pages of other origins. Pages on other ports of this machine count as same-site, so only
 * `same-origin` and `none` (an address that the person typed) pass. `Origin` must have the host and port of `Host`. The schemes may
 * differ, because TLS may end before the desk. A client that is not a browser sends neither header and passes.
 */
export function checkOrigin(request: IncomingMessage): Refusal | undefined {
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return crossSiteRefused
  const { origin } = request.headers
  if (origin === undefined) return undefined
  const [, scheme = "", authority = ""] = ORIGIN.exec(origin.toLowerCase()) ?? []
  const from = parseHost(authority)
  const host = parseHost(request.headers.host ?? "")
  if (from === undefined || host === undefined || from.name !== host.name) return crossSiteRefused
  const defaultPort = DEFAULT_PORTS[scheme]
  return (from.port ?? defaultPort) === (host.port ?? defaultPort) ? undefined : crossSiteRefused
}

/**
 * Whether the browser opens this address as a page, by a link, form or redirect such as an identity provider's. A script cannot make such
 * a request, and a subresource has another mode or destination (W3C Fetch Metadata Request Headers).
 */
export function isNavigation({ headers }: IncomingMessage): boolean {
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
}
