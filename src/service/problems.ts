import { randomBytes } from "node:crypto"
import type { Problem } from "../contract/resources.ts"

type Extra = {
  readonly retryable?: boolean
  /** The seconds of the header `Retry-After`. */
  readonly retryAfter?: number
  readonly failureCode?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An error that the server answers with a Problem (openapi.yaml). */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly extra: Extra

  constructor(status: number, code: string, title: string, detail: string, extra: Extra = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.title = title
    this.extra = extra
  }

  /** The headers of the answer. */
  get headers(): Record<string, string> {
    const { headers, retryAfter } = this.extra
    return { ...headers, ...(retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) }) }
  }

  /** The Problem for a request. `instance` is the path of the request. Each call makes a new `request_id`. */
  toProblem(instance: string): Problem {
    const { retryable = false, failureCode } = this.extra
    return {
      type: `urn:problem:${this.code.toLowerCase().replaceAll("_", "-")}`,
      title: this.title,
      status: this.status,
      detail: this.message,
      instance,
      code: this.code,
      request_id: `req_${randomBytes(12).toString("hex")}`,
      retryable,
      ...(failureCode === undefined ? {} : { failure_code: failureCode }),
    }
  }
}

/** 400. `detail` names the field. */
export function invalidRequest(detail: string): Refusal {
  return new Refusal(400, "INVALID_REQUEST", "The request is invalid", detail)
}

/** 401 with the challenge that RFC 9110, section 11.6.1, requires. */
export function unauthenticated(): Refusal {
  const detail = "The bearer credential is missing, invalid or revoked"
  return new Refusal(401, "UNAUTHENTICATED", "Not authenticated", detail, { headers: { "WWW-Authenticate": "Bearer" } })
}

/** 403 for a missing scope. */
export function scopeMissing(scope: string): Refusal {
  return new Refusal(403, "SCOPE_MISSING", "Not allowed", `The credential lacks the scope ${scope}`)
}

/** 404 for a resource. An unknown resource and another account's resource get the same Problem, so that nobody can tell them apart. */
export function notVisible(): Refusal {
  return new Refusal(404, "NOT_FOUND", "Not found", "There is no such resource, or it is not visible to this account")
}

/** 404 for a path that no operation has. */
export function unknownPath(): Refusal {
  return new Refusal(404, "UNKNOWN_PATH", "Not found", "This path is not part of the API")
}

/** 405. `allowed` holds the methods of the path. */
export function wrongMethod(allowed: readonly string[]): Refusal {
  const allow = allowed.join(", ")
  return new Refusal(405, "METHOD_NOT_ALLOWED", "Method not allowed", `This path takes ${allow} only`, {
    headers: { Allow: allow },
  })
}

/** 409 when the state of the resource does not allow the request. */
export function conflict(code: string, detail: string, extra: Extra = {}): Refusal {
  return new Refusal(409, code, "The resource's state does not allow this", detail, extra)
}

/** 409 for an Idempotency-Key that was used with other input. */
export function idempotencyConflict(): Refusal {
  const detail = "This Idempotency-Key was used with different input; a new intent takes a new key"
  return new Refusal(409, "IDEMPOTENCY_CONFLICT", "Idempotency key reused", detail)
}

/** 412, never `retryable`: the same request cannot pass later. `sent` is the version of `If-Match`, `current` that of the resource. */
export function staleVersion(sent: bigint, current: bigint): Refusal {
  const detail = `If-Match names version ${sent}, the current version is ${current}; read it again and decide on that`
  return new Refusal(412, "VERSION_STALE", "The version is stale", detail)
}

/** 413. `limit` is in bytes. */
export function bodyTooLarge(limit: number): Refusal {
  return new Refusal(413, "BODY_TOO_LARGE", "The body is too large", `The body must have at most ${limit} bytes`)
}

/** 422. `subject` says what the data policy blocked, for instance `this input`. */
export function policyBlocked(subject: string): Refusal {
  return new Refusal(422, "POLICY_BLOCKED", "Blocked by policy", `The organization's data policy blocked ${subject}`)
}

/** 428 when `If-Match` is missing. */
export function versionRequired(): Refusal {
  const detail = "If-Match is required: it names the version that was read"
  return new Refusal(428, "VERSION_REQUIRED", "If-Match is missing", detail)
}

/** 429. `retryAfter` is in seconds. */
export function tooManyRequests(detail: string, retryAfter: number): Refusal {
  return new Refusal(429, "RATE_LIMITED", "Too many requests", detail, { retryable: true, retryAfter })
}

/** 503 of createWork. `retryAfter` is in seconds. */
export function noCapacity(retryAfter: number): Refusal {
  const detail = "The service has as much unfinished Work as it may have; try again when some Work is done"
  return new Refusal(503, "NO_CAPACITY", "No capacity", detail, { retryable: true, retryAfter })
}

/** 500 while the disk is full or fails. Nothing of the request is stored, and its Idempotency-Key stays unused. */
export function storageFailed(): Refusal {
  const detail = "The service could not store or read its data; nothing of the request was stored"
  return new Refusal(500, "STORAGE_UNAVAILABLE", "Storage is unavailable", detail, { retryable: true })
}

/** 500 for an error in this program. Only the log has the cause. */
export function internalError(): Refusal {
  return new Refusal(500, "INTERNAL_ERROR", "Internal error", "The service failed to handle this request")
}
