/** Routes a request: checks `Host`, then chooses `/api`, `/desk` or the app's files. Below `/api` and `/desk` it checks origin, person and role. */
import type { IncomingMessage, RequestListener } from "node:http"
import { acceptsPage } from "../../platform/http/http-fields.ts"
import { isRefusal, type Refusal, notServed, signedOut } from "../../platform/http/refusals.ts"
import type { People, Session } from "../people/people-interface.ts"
import type { DeskRoute, DeskRoutes } from "./routes/desk-routes.ts"
import { asksUpstream, UPSTREAM_HEALTH } from "./routes/health.ts"
import { type RequestContext, whenClosed } from "../../platform/http/request-context.ts"
import { cut, Refused, escapeHtml, send, sendPlainPage } from "../../platform/http/send.ts"
import { checkOrigin, hasAllowedHost, isNavigation } from "./guard.ts"
import { isFree, operationCosts, type PersonCost } from "./request-cost.ts"
import type { RequestLimits } from "./request-limits.ts"
import { pathTable } from "../../platform/http/path-match.ts"
import { findOperation, type OperationCall } from "../proxy/find-operation.ts"
import type { Forwarder } from "../proxy/forward.ts"
import { checkNotTogether } from "../proxy/together-header.ts"
import { nameCaller } from "../store/event-loop-share.ts"
import { everyAnswer } from "../../platform/http/security-headers.ts"
import type { Site } from "./site.ts"
import { headTooLarge, headTooLargePage, hostRefused, personChanged, personMissing } from "./desk-refusals.ts"

export type RouterOptions = {
  readonly allowedHosts: ReadonlySet<string>
  /** The address that browsers use. Undefined in local mode. */
  readonly publicUrl: URL | undefined
  readonly site: Site
  /** Serves the app instead of the built files: Vite, in development. */
  readonly fallback: RequestListener | undefined
  readonly routes: DeskRoutes
  readonly people: People
  /** Undefined in local mode. */
  readonly limits: RequestLimits | undefined
  readonly forwarder: Forwarder
}

type TableEntry = { readonly method: string; readonly path: string; readonly route: DeskRoute }

type Found = ReturnType<ReturnType<typeof pathTable<TableEntry>>>

const NOT_FOUND: Found = { entry: undefined, ids: [], served: [] }

type PersonalRoute = Exclude<DeskRoute, { access: "no-session" }>

/** A name of this machine, and the port as the header has it. */
const LOOPBACK_NAME = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])((?::\d{1,5})?)$/

export class Router {
  readonly #options: RouterOptions
  readonly #find: (method: string, path: string) => Found

  constructor(options: RouterOptions) {
    this.#options = options
    const entries = Object.entries(options.routes).map(([address, route]) => {
      const [method = "", path = ""] = address.split(" ")
      return { method, path, route }
    })
    this.#find = pathTable(entries)
  }

  /** Names who sends a request, before its session is looked for: a person, or else the client. */
  nameSender({ request, client }: RequestContext): string {
    const { people, limits } = this.#options
    return limits?.nameSender(client, people.sessionIdIn(request.headers.cookie)) ?? client
  }

  /** Routes a request and answers the client. @throws Refused, and every error of a fault of the desk */
  route(context: RequestContext): void | Promise<void> {
    const { request } = context
    if (isHeadTooLarge(request)) return refuseHead(context)
    const target = request.url ?? ""
    const queryMark = target.indexOf("?")
    const path = queryMark === -1 ? target : target.slice(0, queryMark)
    const query = queryMark === -1 ? "" : target.slice(queryMark + 1)
    const isApi = isBelow("/api", path)
    const isDesk = isBelow("/desk", path)
    // The table has no address below `/api`, and ignores queries, except that `/desk/health?upstream` is an address of its own.
    const found = isApi
      ? NOT_FOUND
      : this.#find(request.method ?? "", asksUpstream(path, query) ? UPSTREAM_HEALTH : path)
    const deskRoute = found.entry?.route

    const servesAnyHost = deskRoute?.access === "no-session" && deskRoute.servesAnyHost === true
    if (!servesAnyHost && !hasAllowedHost(request, this.#options.allowedHosts)) return this.#refuseHost(context)
    if (!isApi && !isDesk) return this.#serveApp(context, path)

    const crossSite = deskRoute?.access === "optional-session" ? deskRoute.crossSite : undefined
    const isCrossSiteAllowed = crossSite === "any" || (crossSite === "navigation" && isNavigation(request))
    if (!isCrossSiteAllowed) checkOrigin(request)

    const [served] = found.served
    if (served !== undefined) context.route = served.path
    if (deskRoute?.access === "no-session") {
      checkNotTogether(context.request)
      this.#options.limits?.chargeClient(context.client, deskRoute.cost)
      return deskRoute.handle(context)
    }
    return this.#routePerson(context, deskRoute, path, query, found)
  }

  /** A browser that used another name of this machine gets a page that names the address to use. */
  #refuseHost(context: RequestContext): void {
    const { headers } = context.request
    const { publicUrl, allowedHosts } = this.#options
    const [, name, port = ""] = LOOPBACK_NAME.exec((headers.host ?? "").toLowerCase()) ?? []
    if (name === undefined || allowedHosts.has(name) || !wantsPage(context)) throw new Refused(hostRefused)
    const address = publicUrl?.origin ?? `http://${[...allowedHosts][0]}${port}`
    context.refusalCode = hostRefused.code
    const link = `<a href="${escapeHtml(address)}">${escapeHtml(address)}</a>`
    // Behind a proxy that replaces Host, the person is at this address already.
    const ifThere =
      publicUrl === undefined
        ? ""
        : "\n<p>If you are already there, its operator must configure the proxy to pass on the Host header.</p>"
    const content = `<p>The desk isn't available at this address. Its address is ${link}.</p>${ifThere}`
    sendPlainPage(context, { status: hostRefused.status, title: "Use another address", content })
  }

  /** The session comes before the path, so that nobody learns without a session which addresses exist. */
  async #routePerson(
    context: RequestContext,
    deskRoute: PersonalRoute | undefined,
    path: string,
    query: string,
    { ids, served }: Found,
  ): Promise<void> {
    const { people, limits } = this.#options
    const call = isBelow("/api", path) ? findOperation(context.request.method ?? "", path, query) : undefined
    const cost = costOf(deskRoute, call)
    const sessionId = people.sessionIdIn(context.request.headers.cookie)
    const admitted = limits?.admit(context.client, sessionId)
    if (admitted?.refusal !== undefined && !isNeverLimited(deskRoute, cost))
      return this.#refuseClient(context, deskRoute, admitted.refusal)
    nameCaller(this.nameSender(context))
    const session = await people.findSession(sessionId)
    admitted?.noteIdentified(session)
    // If the client has left, a stream or download would be opened for nobody.
    if (context.response.closed) return
    if (!isRefusal(session)) {
      context.personId = session.person.id
      nameCaller(session.person.id)
      limits?.chargePerson(context, session.person.id, cost)
      if (deskRoute === undefined || deskRoute.access === "role") people.checkRole(session)
    }
    // The exits are ordered by what they need: no session, then a session, then a role (checked above). So only people with a role learn that an
    // address doesn't exist.
    if (deskRoute?.access === "optional-session") {
      checkNotTogether(context.request)
      return deskRoute.handle(context, query, session)
    }
    if (isRefusal(session)) throw new Refused(session)
    if (call === undefined || isRefusal(call) || call.operation.id !== "resolveWorkApproval")
      checkNotTogether(context.request)
    if (context.request.method === "GET" && cost !== "stream") endWithSession(context, session, people)
    if (deskRoute?.access === "session") return deskRoute.handle(context, query, session, ids)
    if (call !== undefined) return this.#routeOperation(context, call, session)
    if (deskRoute === undefined) throw new Refused(notServed(served))
    if (isFromAnotherPerson(context.request, session, people)) throw new Refused(personChanged)
    return deskRoute.handle(context, query, session, ids)
  }

  /** Only a person who signs in waits for a page. Everybody else gets the Problem. */
  #refuseClient(context: RequestContext, deskRoute: PersonalRoute | undefined, limited: Refusal): void {
    if (deskRoute?.access !== "optional-session" || !wantsPage(context)) throw new Refused(limited)
    sendLimitPage(context, limited)
  }

  #routeOperation(context: RequestContext, call: OperationCall | Refusal, session: Session): void | Promise<void> {
    if (isRefusal(call)) throw new Refused(call)
    context.route = call.operation.path
    context.operation = call.operation.id
    const { people, forwarder } = this.#options
    people.checkRole(session, call.operation.id)
    if (isFromAnotherPerson(context.request, session, people)) throw new Refused(personChanged)
    const needsPerson = people.mode === "sign-in" && call.operation.method !== "GET"
    if (needsPerson && context.request.headers["desk-person"] === undefined) throw new Refused(personMissing)
    return forwarder.forward(context, call, session)
  }

  #serveApp(context: RequestContext, path: string): void {
    const { site, fallback } = this.#options
    if (fallback === undefined) return site.serve(context, path)
    const { request, response } = context
    response.setHeaders(new Headers(everyAnswer))
    context.route = "/"
    fallback(request, response)
  }
}

/** A request for no address is charged as a read. */
function costOf(deskRoute: PersonalRoute | undefined, call: OperationCall | Refusal | undefined): PersonCost {
  if (deskRoute !== undefined) return deskRoute.cost
  return call === undefined || isRefusal(call) ? "read" : operationCosts[call.operation.id]
}

/**
 * Whether a request passes even when the limit of its client is used up. Otherwise strangers at the same address could keep a person from signing out,
 * freezing or declining. Without a session (`optional-session`) anybody can send a request, so even a free one is refused.
 */
function isNeverLimited(deskRoute: PersonalRoute | undefined, cost: PersonCost): boolean {
  return cost === "decision" || (isFree(cost) && deskRoute?.access !== "optional-session")
}

/** Ends a read with its session, because an export or download may last for minutes. `stream-hub.ts` ends the streams, and a mutation gets its answer. */
function endWithSession(context: RequestContext, session: Session, people: People): void {
  const forgetSession = people.onSessionEnd(session, () =>
    context.response.headersSent ? cut(context) : send(context, signedOut),
  )
  whenClosed(context, forgetSession)
}

/** The characters of the target and the headers of a request, together. */
const HEAD_MAX_CHARACTERS = 16_384

function isHeadTooLarge({ url = "", rawHeaders }: IncomingMessage): boolean {
  let characters = url.length
  for (const text of rawHeaders) characters += text.length
  return characters > HEAD_MAX_CHARACTERS
}

/** Closes the connection, as for bytes that Node's parser refuses. */
function refuseHead(context: RequestContext): void {
  context.response.shouldKeepAlive = false
  if (!wantsPage(context)) throw new Refused(headTooLarge)
  context.refusalCode = headTooLarge.code
  sendPlainPage(context, headTooLargePage)
}

function wantsPage({ request: { headers, method } }: RequestContext): boolean {
  return method === "GET" && acceptsPage(headers.accept)
}

function sendLimitPage(context: RequestContext, { code, status, title, detail, retryAfterSeconds = 1 }: Refusal): void {
  context.refusalCode = code
  context.response.setHeader("Retry-After", String(retryAfterSeconds))
  const content = `<p>${escapeHtml(detail)}</p>\n<p>Try again in ${retryAfterSeconds} s.</p>`
  sendPlainPage(context, { status, title, content })
}

/** The app names its person in `Desk-Person`. When another person has signed in, an older page must not act as the new person. */
function isFromAnotherPerson({ headers }: IncomingMessage, { person }: Session, { mode }: People): boolean {
  const claimed = headers["desk-person"]
  return mode === "sign-in" && claimed !== undefined && claimed !== person.id
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/")
}
