/** DeskError: every way in which a request can fail, with what the app needs to branch on. */
import { isProblem, PROBLEM_MEDIA_TYPE } from "../../contract/problem.ts"
import type { Problem } from "../../contract/resources.ts"
import { deskNow, steadyNow } from "./clock.ts"

/**
 * The kind of an error:
 * - `problem`: the service or the proxy answered with a Problem (RFC 9457).
 * - `unreachable`: no whole answer arrived; whether the request had an effect is not known.
 * - `timeout`: no answer within the time allowed; the effect is not known either.
 * - `unreadable`: an answer arrived that is not the operation's own.
 * - `unaddressable`: nothing was sent, because a browser cannot put this id into a path.
 * - `unsent`: nothing was sent. The browser could not store the Idempotency-Key, or no longer has the file to send.
 */
export const DESK_ERROR_KINDS = ["problem", "unreachable", "timeout", "unreadable", "unaddressable", "unsent"] as const
type DeskErrorKind = (typeof DESK_ERROR_KINDS)[number]

const MEANINGS = {
  400: "invalid",
  401: "unauthenticated",
  403: "forbidden",
  // The resource does not exist, or this account may not see it: the service does not say which.
  404: "not-visible",
  409: "conflict",
  412: "stale",
  413: "too-large",
  422: "blocked",
  429: "too-many",
  502: "bad-gateway",
  503: "no-capacity",
  504: "too-slow",
} as const

/**
 * What the status of an error means, for every operation (openapi.yaml, `responses`). Code that handles an error branches on this, and the
 * card of an item on its `Refusal` (inbox/item-state.ts).
 */
export type Failure = (typeof MEANINGS)[keyof typeof MEANINGS]

const FAILURES: Readonly<Record<number, Failure>> = MEANINGS

type Known = "code" | "status" | "requestId" | "retryable" | "retryAt" | "failureCode"
type DeskErrorFields = Pick<DeskError, "kind" | "title" | "detail"> & Partial<Pick<DeskError, Known>>

/** The one error of the app. Branch on `kind`, `failure` and `code`, never on the words (RFC 9457, 3.1). */
export class DeskError extends Error {
  override readonly name = "DeskError"
  readonly kind: DeskErrorKind
  readonly title: string
  readonly detail: string
  /** The code of the Problem; empty where the error is no Problem. */
  readonly code: string
  readonly status: number | undefined
  readonly requestId: string | undefined
  readonly retryable: boolean
  /** The request must not be sent again before this moment of `steadyNow`: the `Retry-After` of the answer. */
  readonly retryAt: number | undefined
  readonly failureCode: string | undefined
  /** When the request failed, as a moment of `steadyNow`. */
  readonly at = steadyNow()

  constructor(fields: DeskErrorFields) {
    super(`${fields.title}: ${fields.detail}`)
    this.kind = fields.kind
    this.title = fields.title
    this.detail = fields.detail
    this.code = fields.code ?? ""
    this.status = fields.status
    this.requestId = fields.requestId
    this.retryable = fields.retryable ?? false
    this.retryAt = fields.retryAt
    this.failureCode = fields.failureCode
  }

  /** What the answer's status means; undefined where there was no answer, or its status means nothing to the app. */
  get failure(): Failure | undefined {
    return FAILURES[this.status ?? 0]
  }

  /**
   * Whether a mutation that failed with this error may have taken effect. Not where nothing was sent, and not after a Problem of the 4xx class
   * or with 503, which refuses before execution. After every other failure the outcome is unknown.
   */
  get outcomeUnknown(): boolean {
    if (this.kind === "unaddressable" || this.kind === "unsent") return false
    if (this.kind !== "problem" || this.status === undefined) return true
    return this.status >= 500 && this.failure !== "no-capacity"
  }
}

/** Reads an HTTP error answer into a DeskError. An answer that is not a Problem becomes `unreadable`. */
export async function errorFromResponse(response: Response): Promise<DeskError> {
  const retryAt = readRetryAfter(response.headers.get("retry-after"))
  const body = await readProblem(response)
  if (body !== undefined) return errorOfProblem({ ...body, status: response.status }, retryAt)
  return new DeskError({
    kind: "unreadable",
    title: "The response can't be read",
    detail: `The service responded with status ${String(response.status)} and no explanation.`,
    status: response.status,
    retryable: response.status >= 500,
    retryAt,
  })
}

/** The error of an answer that succeeded and is not what its request asks for. */
export function unreadable({ status }: Response): DeskError {
  return new DeskError({
    kind: "unreadable",
    title: "The response can't be read",
    detail: "The service's response doesn't match the request.",
    status,
    retryable: true,
  })
}

/** The error of a Problem (RFC 9457). `retryAt` is a moment of `steadyNow`. */
export function errorOfProblem(problem: Problem, retryAt: number | undefined): DeskError {
  const { request_id: requestId, failure_code: failureCode } = problem
  return new DeskError({ ...problem, kind: "problem", requestId, failureCode, retryAt })
}

/** The error of a request without a complete answer. `thrown` is what fetch or reading the body threw. */
export function unreachable(thrown?: unknown): DeskError {
  const timedOut = thrown instanceof DOMException && thrown.name === "TimeoutError"
  return new DeskError({
    kind: timedOut ? "timeout" : "unreachable",
    title: timedOut ? "No response in time" : "No response",
    detail: timedOut ? "The desk took too long to respond." : "The desk can't be reached, or the connection was lost.",
    retryable: true,
  })
}

/** Throws again what fetch, or reading the body, has thrown: an abort and a DeskError unchanged, anything else as `unreachable`. */
export function throwNoAnswer(thrown: unknown): never {
  const isAbort = thrown instanceof DOMException && thrown.name === "AbortError"
  throw isAbort || thrown instanceof DeskError ? thrown : unreachable(thrown)
}

/** No wait is longer than a year, whatever `Retry-After` says. */
const LONGEST_WAIT_MS = 365 * 24 * 60 * 60 * 1000

/** `Retry-After` as a moment: seconds, or an HTTP date on the desk's clock (RFC 9110, 10.2.3); anything else is ignored. */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const wait = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - deskNow()
  return Number.isNaN(wait) ? undefined : steadyNow() + Math.min(Math.max(wait, 0), LONGEST_WAIT_MS)
}

async function readProblem(response: Response) {
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (mediaType !== PROBLEM_MEDIA_TYPE) return undefined
  try {
    const body: unknown = JSON.parse(await response.text())
    return isProblem(body) ? body : undefined
  } catch {
    return undefined
  }
}

/** Whether two errors say the same to a person, so that a page shows the error of two queries once. */
export function isSameError(a: DeskError | null | undefined, b: DeskError | null | undefined): boolean {
  return a != null && b != null && a.kind === b.kind && a.status === b.status && a.code === b.code
}
