import type { DeskError } from "../client/desk-error.ts"
import type { Failure } from "../client/status-meaning.ts"

/**
 * What a refused answer or decision means for the item (openapi.yaml, resolveWorkAttention and resolveWorkApproval). The cards and buttons
 * of an item branch on this, and not on the failure or code of the error.
 *
 * - `stale`: the item has a newer version. The person reads what changed and decides again.
 * - `resolved`: the item was answered or decided before.
 * - `missing`: the service does not find the item for now; it may still list it.
 * - `rule`: a rule of the desk does not let this person approve. They may decline.
 * - `sign-in-again`: a rule of the desk asks for a newer sign-in.
 * - `role`: the person does not have the role.
 * - `forbidden`: the service does not allow this to the desk's account.
 * - `other`: nothing happened, and the person may send it again.
 */
export type RefusalMeaning =
  | "stale"
  | "resolved"
  | "missing"
  | "rule"
  | "sign-in-again"
  | "role"
  | "forbidden"
  | "other"

const BY_CODE: Readonly<Record<string, RefusalMeaning>> = {
  PROXY_VERSION_STALE: "stale",
  PROXY_NOT_FOUND: "missing",
  PROXY_RULE: "rule",
  PROXY_SIGN_IN_AGAIN: "sign-in-again",
  PROXY_ROLE_MISSING: "role",
  PROXY_NO_ROLE: "role",
  PROXY_PERSON_MISSING: "other",
  PROXY_PERSON_CHANGED: "other",
  PROXY_KEY_OF_ANOTHER: "other",
  IDEMPOTENCY_CONFLICT: "other",
}

const BY_FAILURE: Readonly<Partial<Record<Failure, RefusalMeaning>>> = {
  forbidden: "forbidden",
  "not-visible": "missing",
  conflict: "resolved",
  stale: "stale",
}

/** What a refusal means for the item, by the code of the error, else by its failure. */
export function meaningOfRefusal({ code, failure }: Pick<DeskError, "code" | "failure">): RefusalMeaning {
  return (Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined) ?? (failure && BY_FAILURE[failure]) ?? "other"
}
