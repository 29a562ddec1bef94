import { expect, it } from "vitest"
import { DeskError } from "../client/desk-error.ts"
import { wordsFor } from "./error-words.tsx"

const problem = (status: number, code: string, retryable = false) =>
  new DeskError({ kind: "problem", title: "Title", detail: "Detail", status, code, retryable })

it.each([
  [400, "PROXY_ASIDE_REFUSED"],
  [403, "PROXY_MAY_NOT_DECIDE"],
  [413, "PROXY_BODY_TOO_LARGE"],
  [429, "PROXY_PERSON_LIMIT"],
  [503, "PROXY_STORE_UNAVAILABLE"],
  [500, "PROXY_INTERNAL"],
])("a refusal of the desk itself (%s, %s) is not said to be the service's", (status, code) => {
  expect(wordsFor(problem(status, code)).happened).toBe("")
})

it("a refusal of the desk that may pass says that the person can try again", () => {
  expect(wordsFor(problem(503, "PROXY_STORE_UNAVAILABLE", true)).toDo).toBe("Try again in a moment.")
})

it.each([
  [403, "SCOPE_MISSING"],
  [503, "NO_CAPACITY"],
  [502, "PROXY_UPSTREAM_UNREACHABLE"],
])("a failure of the service (%s, %s) is", (status, code) => {
  expect(wordsFor(problem(status, code)).happened).toContain("service")
})
