// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest"
import { DeskError } from "./desk-error.ts"
import { inboxInterval } from "./polling.ts"

afterEach(() => void vi.restoreAllMocks())

type State = Parameters<typeof inboxInterval>[0]["state"]

const failed = (more: { retryAt?: number; retryable: boolean; status?: number }): { state: State } => {
  const error = new DeskError({ kind: "problem", title: "", detail: "", code: "", status: 502, ...more })
  return {
    state: {
      data: undefined,
      dataUpdateCount: 0,
      dataUpdatedAt: 0,
      error,
      errorUpdateCount: 1,
      errorUpdatedAt: 0,
      fetchFailureCount: 1,
      fetchFailureReason: error,
      fetchMeta: null,
      isInvalidated: false,
      status: "error",
      fetchStatus: "idle",
    },
  }
}

test("what failed is asked again soon where somebody looks, and every 15 s at most in a hidden tab", () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(false)
  expect(inboxInterval(failed({ retryable: true }))).toBe(5_000)
  hidden.mockReturnValue(true)
  expect(inboxInterval(failed({ retryable: true }))).toBe(15_000)
})

test("a Retry-After is waited for, in a hidden tab too", () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true)
  const wait = inboxInterval(failed({ retryable: true, retryAt: Date.now() + 60_000 }))
  expect(wait).toBeGreaterThan(59_000)
  expect(wait).toBeLessThan(61_000)
})

test("what was refused is asked again after half a minute: one Work's refusal does not end the gathering", () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(false)
  expect(inboxInterval(failed({ retryable: false }))).toBe(5_000)
  expect(inboxInterval(failed({ retryable: false, status: 403 }))).toBe(30_000)
})
