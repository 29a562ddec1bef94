/** The Problems that the service answers. */
import { randomBytes } from "node:crypto"
import type { Problem } from "../contract/resources.ts"
import type { Row } from "./store/sqlite-row.ts"

const WRONG_STATE = "The resource's state does not allow this"

/** The status and the title of each code. docs/embedded-service.md names the codes. */
const KINDS = {
  INVALID_REQUEST: [400, "The request is invalid"],
  UNAUTHENTICATED: [401, "Not authenticated"],
  SCOPE_MISSING: [403, "Not allowed"],
  NOT_FOUND: [404, "Not found"],
  UNKNOWN_PATH: [404, "Not found"],
  METHOD_NOT_ALLOWED: [405, "Method not allowed"],
  IDEMPOTENCY_CONFLICT: [409, "Idempotency key reused"],
  INPUT_NOT_READY: [409, WRONG_STATE],
  INPUT_SCAN_FAILED: [409, WRONG_STATE],
  INPUT_CONSUMED: [409, WRONG_STATE],
  INPUT_EXPIRED: [409, WRONG_STATE],
  UPLOAD_NOT_RETRYABLE: [409, WRONG_STATE],
  ATTENTION_RESOLVED: [409, WRONG_STATE],
  APPROVAL_RESOLVED: [409, WRONG_STATE],
  ARTIFACT_NOT_AVAILABLE: [409, WRONG_STATE],
  ARTIFACT_DAMAGED: [409, WRONG_STATE],
  VERSION_STALE: [412, "The version is stale"],
  BODY_TOO_LARGE: [413, "The body is too large"],
  POLICY_BLOCKED: [422, "Blocked by policy"],
  VERSION_REQUIRED: [428, "If-Match is missing"],
  RATE_LIMITED: [429, "Too many requests"],
  INTERNAL_ERROR: [500, "Internal error"],
  STORAGE_UNAVAILABLE: [500, "Storage is unavailable"],
  NO_CAPACITY: [503, "No capacity"],
} as const satisfies Record<string, readonly [status: number, title: string]>

type Extra = {
  readonly retryable?: boolean
  /** The seconds of the header `Retry-After`. */
  readonly retryAfter?: number
  readonly failureCode?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** An error that the server answers with a Problem (openapi.yaml). */
export class ProblemError extends Error {
  readonly #code: keyof typeof KINDS
  readonly #extra: Extra

  constructor(code: keyof typeof KINDS, detail: string, extra: Extra = {}) {
    super(detail)
    this.#code = code
    this.#extra = extra
  }

  get status(): number {
    return KINDS[this.#code][0]
  }

  /** The headers of the answer. */
  get headers(): Record<string, string> {
    const { headers, retryAfter } = this.#extra
    return { ...headers, ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }) }
  }

  /** The Problem for a request, with a new `request_id`. `instance` is the path of the request. */
  toProblem(instance: string): Problem {
    const { retryable = false, failureCode } = this.#extra
    const [status, title] = KINDS[this.#code]
    return {
      type: `urn:problem:${this.#code.toLowerCase().replaceAll("_", "-")}`,
      title,
      status,
      detail: this.message,
      instance,
      code: this.#code,
      request_id: `req_${randomBytes(12).toString("hex")}`,
      retryable,
      ...(failureCode === undefined ? {} : { failure_code: failureCode }),
    }
  }
}

/** 400. `detail` names the field. */
export function invalidRequest(detail: string): ProblemError {
  return new ProblemError("INVALID_REQUEST", detail)
}

/** 404 for a resource. An unknown resource and another account's resource get the same Problem, so that nobody can tell them apart. */
export function notVisible(): ProblemError {
  return new ProblemError("NOT_FOUND", "There is no such resource, or this account can't see it")
}

/** Returns the row that was looked for. @throws ProblemError 404 when there is none */
export function visible(row: Row | undefined): Row {
  if (row === undefined) throw notVisible()
  return row
}

/** 422. `subject` says what the data policy blocked, for instance `this input`. */
export function policyBlocked(subject: string): ProblemError {
  return new ProblemError("POLICY_BLOCKED", `The organization's data policy blocked ${subject}`)
}
