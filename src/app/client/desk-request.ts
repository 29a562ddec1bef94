/** The requests of the app below `/api` and `/desk`. */
import { type QueryKey, queryOptions, type UseQueryOptions } from "@tanstack/react-query"
import { parseJson } from "../../contract/int64.ts"
import type { RefusalCode } from "../../contract/refusal-codes.ts"
import { steadyNow } from "./clock.ts"
import { DeskError, errorFromResponse, throwNoAnswer, unreadable } from "./desk-error.ts"
import { readRateLimit } from "./polling.ts"
import { isObject, type Schema, validOf } from "./value-schema.ts"
import { isLocked, pagePerson, readSession, whenUnlocked } from "./session.ts"

/** For this time after a mutation, each read asks the desk for an answer that is not older than the request. */
const FRESH_MS = 5_000
let freshUntil = 0

const isRead = ({ method }: Request): boolean => method === "GET"

/**
 * `fetch` for everything below `/api` and `/desk`, as the person of this page. While the page is locked, a read waits until the person has
 * signed in again. A mutation is refused, because nothing may be sent without a new click. A mutation that reads must see goes through `askDesk`.
 *
 * @param timeoutMs how long one attempt may take; the wait while the page is locked does not count
 * @throws DeskError for a mutation while the page is locked; else what fetch throws
 */
export async function deskFetch(request: Request, timeoutMs: number | null = null): Promise<Response> {
  const response = await attempt(request, timeoutMs)
  switch (await problemCode(response)) {
    case "PROXY_SIGNED_OUT" satisfies RefusalCode:
      // This locks the page, so the second attempt of a read waits for the sign-in.
      await readSession()
      return isRead(request) ? attempt(request, timeoutMs) : response
    case "PROXY_PERSON_CHANGED" satisfies RefusalCode:
      location.reload()
      break
    case "PROXY_ROLE_MISSING" satisfies RefusalCode:
    case "PROXY_NO_ROLE" satisfies RefusalCode:
      void readSession()
  }
  return response
}

async function attempt(request: Request, timeoutMs: number | null): Promise<Response> {
  if (isRead(request)) await whenUnlocked(request.signal)
  else if (isLocked()) throw signedOut()
  const person = pagePerson()
  if (person !== undefined) request.headers.set("desk-person", person)
  // Another replica of the desk does not know of the mutation, and could answer with a read that began before the mutation.
  if (isRead(request) && performance.now() < freshUntil) request.headers.set("cache-control", "no-cache")
  const signals = [request.signal, ...(timeoutMs === null ? [] : [AbortSignal.timeout(timeoutMs)])]
  // A read may be sent twice, and a request can be used once.
  return fetch(isRead(request) ? request.clone() : request, { signal: AbortSignal.any(signals) })
}

/** The code of the Problem in an answer; undefined where the answer has no code. The body of the answer can still be read. */
async function problemCode(response: Response): Promise<unknown> {
  if (response.ok) return undefined
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return isObject(problem) ? problem["code"] : undefined
}

function signedOut(): DeskError {
  return new DeskError({
    kind: "problem",
    title: "Signed out",
    detail: "Nothing was sent, because the session has ended.",
    code: "PROXY_SIGNED_OUT" satisfies RefusalCode,
    status: 401,
  })
}

/** How long a request may take. The proxy answers 504 before that: after 20 s without a head, or 30 s without the end of the answer. */
export const ANSWER_TIMEOUT_MS = 40_000

/**
 * The paths that a `Retry-After` has closed. A GET that got 429 or 503 is not sent again before its time, whichever component asks (RFC
 * 9110, 10.2.3). The GET fails with the error that closed the path, and no request leaves.
 */
const closed = new Map<string, DeskError>()

/**
 * Sends a request below `/api` or `/desk`.
 *
 * @param timeoutMs how long the whole answer may take; null where the caller watches the time
 * @returns an answer that succeeded, or 304
 * @throws DeskError; what fetch throws where the signal of the request aborts
 */
export async function askDesk(
  input: Request | string,
  init: RequestInit = {},
  timeoutMs: number | null = ANSWER_TIMEOUT_MS,
): Promise<Response> {
  const request = new Request(input, init)
  const { pathname } = new URL(request.url)
  const known = isRead(request) ? closed.get(pathname) : undefined
  if (known?.retryAt !== undefined && steadyNow() < known.retryAt) throw known
  const response = await deskFetch(request, timeoutMs).catch(throwNoAnswer)
  if (!isRead(request)) freshUntil = performance.now() + FRESH_MS
  if (response.ok || response.status === 304) {
    readRateLimit(response.headers)
    return response
  }
  const error = await errorFromResponse(response)
  if (isRead(request) && error.retryAt !== undefined) closed.set(pathname, error)
  throw error
}

/**
 * Writes the address of an operation: each `{name}` of the template is replaced by the encoded id of that name.
 *
 * @throws DeskError where a browser cannot send an id: it removes `.` and `..` (URL standard, path state), and cannot encode a lone surrogate
 */
export function writePath(template: string, parameters: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = String(parameters[name])
    if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) {
      throw new DeskError({
        kind: "unaddressable",
        title: "This can't be opened",
        detail: `The id “${id}” can't be part of a web address.`,
      })
    }
    return encodeURIComponent(id)
  })
}

/** The JSON of an answer, with its int64 members as bigint. @throws DeskError where the answer is cut, or is not JSON */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text().catch(throwNoAnswer)
  try {
    return parseJson(text)
  } catch {
    throw unreadable(response)
  }
}

/** The JSON of an answer, checked. @throws DeskError where the answer is cut, or is not what was asked for */
export async function answerOf<Data>(response: Response, schema: Schema<Data>): Promise<Data> {
  return checkedBy(schema, await jsonOf(response), response)
}

/** The checked `value`, which is the content of `response`. @throws DeskError if the value doesn't match the schema */
export function checkedBy<Data>(schema: Schema<Data>, value: unknown, response: Response): Data {
  const data = validOf(schema, value)
  if (data === undefined) throw unreadable(response)
  return data
}

type ReadOptions = {
  readonly signal?: AbortSignal | undefined
  /** Asks the desk for an answer that is not older than the request. */
  readonly mustBeFresh?: boolean
}

/** Reads from an address below `/api` or `/desk`. @throws DeskError */
export async function readDesk<Data>(
  address: string,
  schema: Schema<Data>,
  { signal, mustBeFresh = false }: ReadOptions = {},
): Promise<Data> {
  const headers = {
    accept: "application/json, application/problem+json",
    ...(mustBeFresh && { "cache-control": "no-cache" }),
  }
  return answerOf(await askDesk(address, { signal: signal ?? null, headers }), schema)
}

/** The query of what the desk answers at `address`, checked by `schema`. */
export function deskQuery<Data>(
  queryKey: QueryKey,
  address: string,
  schema: Schema<Data>,
  options: Omit<UseQueryOptions<Data, DeskError>, "queryKey" | "queryFn"> = {},
) {
  return queryOptions<Data, DeskError>({
    ...options,
    queryKey,
    queryFn: ({ signal }) => readDesk(address, schema, { signal }),
  })
}

/** The ETag of what the desk answered. A front that compresses JSON rewrites the header, which serves with an older desk only. */
export function etagOf(answer: unknown, { headers }: Response): string | undefined {
  const hasMember = typeof answer === "object" && answer !== null && "etag" in answer
  return hasMember && typeof answer.etag === "string" ? answer.etag : (headers.get("etag") ?? undefined)
}
