import { DeskError } from "./desk-error.ts"
import { isLocked, pagePerson, readSession, whenUnlocked } from "./session.ts"

/** How long after a mutation each read asks for an answer that the desk reads after the request has arrived. */
const FRESH_MS = 5_000
let freshUntil = 0

/**
 * `fetch` for everything below `/api` and `/desk`, as the person of this page. While the page is locked, a read waits until the person has
 * signed in again. A mutation is refused, because nothing may be sent without a new click.
 *
 * @param timeoutMs how long one attempt may take; the wait while the page is locked does not count
 * @throws DeskError for a mutation while the page is locked; else what fetch throws
 */
export async function deskFetch(
  input: RequestInfo | URL,
  init: RequestInit = {},
  timeoutMs: number | null = null,
): Promise<Response> {
  const request = new Request(input, init)
  const mayRepeat = request.method === "GET"
  const send = async (): Promise<Response> => {
    if (mayRepeat) await whenUnlocked(request.signal)
    else if (isLocked()) throw signedOut()
    const person = pagePerson()
    if (person !== undefined) request.headers.set("desk-person", person)
    // Another replica of the desk does not know of the mutation, and could answer with a read that began before it.
    if (mayRepeat && performance.now() < freshUntil) request.headers.set("cache-control", "no-cache")
    const signals = [request.signal, ...(timeoutMs === null ? [] : [AbortSignal.timeout(timeoutMs)])]
    return fetch(mayRepeat ? request.clone() : request, { signal: AbortSignal.any(signals) })
  }
  const response = await send()
  if (!mayRepeat) freshUntil = performance.now() + FRESH_MS
  switch (await problemCode(response)) {
    case "PROXY_SIGNED_OUT":
      await readSession()
      return mayRepeat ? send() : response
    case "PROXY_PERSON_CHANGED":
      location.reload()
      return response
    case "PROXY_ROLE_MISSING":
    case "PROXY_NO_ROLE":
      void readSession()
      return response
    default:
      return response
  }
}

/** The code of the Problem in an answer; undefined where it has none. The answer itself can still be read. */
async function problemCode(response: Response): Promise<unknown> {
  if (response.ok) return undefined
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof problem === "object" && problem !== null && "code" in problem ? problem.code : undefined
}

function signedOut(): DeskError {
  return new DeskError({
    kind: "problem",
    title: "Signed out",
    detail: "Nothing was sent, because the session has ended.",
    code: "PROXY_SIGNED_OUT",
    status: 401,
  })
}
