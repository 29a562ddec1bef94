import type { IncomingMessage } from "node:http"
import { type Refusal } from "../contract/refusal.ts"
import { crossSiteRefused, headerRepeated, hostRefused } from "./refusals.ts"

// A name or an IPv6 address in brackets, then perhaps a port. No trailing dot, no user, no list.
const HOST = /^([a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/
const ORIGIN = /^(https?):\/\/([^/?#@\s]+)$/
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" }

type HostAndPort = { name: string; port: string | undefined }

function parseHost(text: string): HostAndPort | undefined {
  const match = HOST.exec(text.toLowerCase())
  return match?.[1] === undefined ? undefined : { name: match[1], port: match[2] }
}

/**
 * Stops DNS rebinding, where the host name of another page leads to this desk. It guards the app's files too. Node accepts two Host
 * headers, none, and a target in absolute form (`GET http://elsewhere/`), which would count instead of Host.
 */
export function checkHost(request: IncomingMessage, allowed: ReadonlySet<string>): Refusal | undefined {
  const { rawHeaders } = request
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") hosts++
  }
  if (hosts !== 1) return hostRefused
  if (request.url === undefined || (!request.url.startsWith("/") && request.url !== "*")) return hostRefused
  const host = parseHost(request.headers.host ?? "")
  return host !== undefined && allowed.has(host.name) ? undefined : hostRefused
}

/**
 * Admits only the desk's own pages to `/api` and `/desk`. Pages on other ports of this machine count as same-site, so only `same-origin`
 * and `none` (an address that the person typed) pass. `Origin` must have the host and port of `Host`; its scheme may be https behind a
 * TLS front. A client that is no browser sends neither header.
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
 * Whether a page of another site sent the browser here by a link, form or redirect, as an identity provider does. A script cannot make
 * such a request, and a subresource has another mode or destination (Fetch Metadata Request Headers).
 */
export function isCrossSiteNavigation({ headers }: IncomingMessage): boolean {
  return headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
}

const SINGLE = new Set(["content-type", "idempotency-key", "if-match", "last-event-id"])

/** Node joins repeated headers or drops all but one. A header that decides about an effect must be sent once. */
export function checkRepeated(request: IncomingMessage): Refusal | undefined {
  const { rawHeaders } = request
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ""
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) return headerRepeated
    seen.add(name)
  }
  return undefined
}
