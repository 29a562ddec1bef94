import { steadyNow } from "./clock.ts"
import { DeskError } from "./desk-error.ts"

/**
 * The paths that a `Retry-After` has closed. A GET that got 429 or 503 is not sent again before its time, whichever component asks (RFC
 * 9110, 10.2.3). The gate throws the error that closed the path, and no request leaves.
 */
const closed = new Map<string, DeskError>()

/** Closes the path of `url` until the error's `retryAt`. */
export function closeUntil(url: string, error: DeskError): void {
  closed.set(pathOf(url), error)
}

/** Throws the error that closed the path of `url`, while its time has not come. */
export function assertOpen(url: string): void {
  const path = pathOf(url)
  const error = closed.get(path)
  if (error === undefined) return
  if (error.retryAt !== undefined && steadyNow() < error.retryAt) throw error
  closed.delete(path)
}

function pathOf(url: string): string {
  return new URL(url, "http://desk").pathname
}
