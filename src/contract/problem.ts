/** Problem (RFC 9457): the form of every error of the API and of the desk. */
import type { Problem } from "./resources.ts"

/** The content type of every error body (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = "application/problem+json"

/** Whether `value` has the eight required members of a Problem. A gateway or a later version of the service may add others. */
export function isProblem(value: unknown): value is Problem {
  if (typeof value !== "object" || value === null) return false
  const member = (name: keyof Problem): unknown => Reflect.get(value, name)
  return (
    typeof member("type") === "string" &&
    typeof member("title") === "string" &&
    Number.isInteger(member("status")) &&
    typeof member("detail") === "string" &&
    typeof member("instance") === "string" &&
    typeof member("code") === "string" &&
    typeof member("request_id") === "string" &&
    typeof member("retryable") === "boolean"
  )
}
