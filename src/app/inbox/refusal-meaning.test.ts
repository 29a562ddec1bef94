import { expect, it } from "vitest"
import { DeskError } from "../client/desk-error.ts"
import { meaningOfRefusal } from "./refusal-meaning.ts"

it.each([
  [412, "VERSION_MISMATCH", "stale"],
  [412, "PROXY_VERSION_STALE", "stale"],
  [404, "NOT_FOUND", "missing"],
  [404, "PROXY_NOT_FOUND", "missing"],
  [409, "RESOLVED", "resolved"],
  [409, "PROXY_KEY_OF_ANOTHER", "other"],
  [403, "FORBIDDEN", "forbidden"],
  [403, "PROXY_SIGN_IN_AGAIN", "sign-in-again"],
  [403, "PROXY_ROLE_MISSING", "role"],
  [401, "UNAUTHENTICATED", "other"],
  [422, "constructor", "other"],
])("%i %s means %s", (status, code, refusal) => {
  const error = new DeskError({ kind: "problem", title: "No", detail: "No.", code, status })
  expect(meaningOfRefusal(error)).toBe(refusal)
})
