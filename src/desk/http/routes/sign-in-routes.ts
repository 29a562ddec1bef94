/** The addresses of signing in and out: redirects, cookies, and the page of a failed sign-in. `src/desk/people` makes the decisions. */
import type { Session } from "../../people/people-interface.ts"
import type { SignInFailed } from "../../people/sign-in-failures.ts"
import type { SignIn } from "../../people/sign-in.ts"
import type { RequestContext } from "../../../platform/http/request-context.ts"
import { escapeHtml, sendPlainPage, send, sendJson } from "../../../platform/http/send.ts"
import { hasMediaType, PUBLIC_BODY_MAX_BYTES, readBody } from "../../../platform/http/request-body.ts"
import { apiAnswer } from "../../../platform/http/security-headers.ts"
import type { DeskRoutes } from "./desk-routes.ts"

/** The path that the provider sends the browser back to. */
export const CALLBACK_PATH = "/desk/sign-in/callback"

/** The addresses below `/desk` that only a desk with sign-in has. */
export function signInRoutes(signIn: SignIn, countSignIn: (result: string) => void): DeskRoutes {
  return {
    "GET /desk/sign-in": {
      access: "optional-session",
      cost: "read",
      handle: async (context, query) => {
        const failure = await begin(context, query, signIn)
        if (failure !== undefined) countSignIn(failure)
      },
    },
    [`GET ${CALLBACK_PATH}`]: {
      access: "optional-session",
      crossSite: "navigation",
      cost: "read",
      handle: async (context, query) => countSignIn(await finish(context, query, signIn)),
    },
    "POST /desk/sign-out": {
      access: "session",
      cost: { free: "a person can always sign out" },
      handle: (context, _, session) => signOut(context, session, signIn),
    },
    "POST /desk/sign-out/back": {
      access: "no-session",
      cost: "provider",
      handle: (context) => signOutByProvider(context, signIn),
    },
    "POST /desk/session/touch": {
      access: "session",
      cost: "read",
      handle: async (context, _, session) => {
        await signIn.touch(session)
        sendJson(context, {})
      },
    },
  }
}

/** Sends the browser to the provider. Returns the reason of a failure, for the metrics. */
async function begin(context: RequestContext, query: string, signIn: SignIn): Promise<string | undefined> {
  const parameters = new URLSearchParams(query)
  const begun = await signIn.begin({
    returnTo: parameters.get("return") ?? undefined,
    again: parameters.get("again") === "1",
    cookies: context.request.headers.cookie,
  })
  if (begun.kind === "failed") return sendFailure(context, begun)
  redirect(context, begun.location, begun.setCookies)
  return undefined
}

/** Answers the browser that comes back from the provider. Returns the result, for the metrics. */
async function finish(context: RequestContext, query: string, signIn: SignIn): Promise<string> {
  const finished = await signIn.finish({ query, cookies: context.request.headers.cookie })
  if (finished.kind === "failed") return sendFailure(context, finished)
  context.personId = finished.personId
  context.failure = finished.warning
  redirect(context, finished.location, finished.setCookies)
  return finished.kind
}

async function signOut(context: RequestContext, session: Session, signIn: SignIn): Promise<void> {
  const ended = await signIn.signOut(session)
  setCookies(context, ended.setCookies)
  sendJson(context, { location: ended.location })
}

/** Ends the sessions that a logout token names. The provider sends the token as a form (OpenID Connect Back-Channel Logout 1.0, 2.5). */
async function signOutByProvider(context: RequestContext, signIn: SignIn): Promise<void> {
  const body = await readBody(context, PUBLIC_BODY_MAX_BYTES)
  const isForm = hasMediaType(context.request, "application/x-www-form-urlencoded")
  const tokens = isForm ? new URLSearchParams(body.toString("utf8")).getAll("logout_token") : []
  await signIn.backChannelLogout(tokens.length === 1 ? tokens[0] : undefined)
  sendJson(context, {})
}

function setCookies({ response }: RequestContext, cookies: readonly string[]): void {
  if (!response.headersSent) response.setHeader("Set-Cookie", cookies)
}

function redirect(context: RequestContext, location: string, cookies: readonly string[]): void {
  setCookies(context, cookies)
  send(context, { status: 303, headers: { ...apiAnswer, Location: location }, body: Buffer.alloc(0) })
}

/** Sends the page of a failed sign-in. Returns the reason. */
function sendFailure(context: RequestContext, failed: SignInFailed): string {
  context.cause = failed.cause
  context.failure = failed.codes === "" ? failed.reason : `${failed.reason}: ${failed.codes}`
  const again = `/desk/sign-in?return=${encodeURIComponent(failed.returnTo)}`
  setCookies(context, failed.setCookies)
  const { status, title, detail } = failed
  const content = `<p>${escapeHtml(detail)}</p>\n<p><a href="${escapeHtml(again)}">Sign in again</a></p>`
  sendPlainPage(context, { status, title, content })
  return failed.reason
}
