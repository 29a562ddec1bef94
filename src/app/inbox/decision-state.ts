import type { DeskError } from "../client/desk-error.ts"
import type { Failure } from "../client/status-meaning.ts"
import type { Intent } from "../client/stored-intent.ts"

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
export type Refusal = "stale" | "resolved" | "missing" | "rule" | "sign-in-again" | "role" | "forbidden" | "other"

const BY_CODE: Readonly<Record<string, Refusal>> = {
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

const BY_FAILURE: Readonly<Partial<Record<Failure, Refusal>>> = {
  forbidden: "forbidden",
  "not-visible": "missing",
  conflict: "resolved",
  stale: "stale",
}

/** What a refusal means for the item, by the code of the error, else by its failure. */
export function refusalOf({ code, failure }: Pick<DeskError, "code" | "failure">): Refusal {
  return (Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined) ?? (failure && BY_FAILURE[failure]) ?? "other"
}

type Versioned = { readonly version: bigint }
type ItemIntent<Of> = Intent<Versioned, Of> | undefined

/** What a person reads. It changes only when they ask for it, or after a refusal which says that it is not current. */
export type Reading<Of> = {
  readonly shown: Of
  /** The version that was on the screen before `shown`. The change stays marked while the card is on the screen. */
  readonly before: Of | undefined
}

/** What a person reads, with the newer version that they have not asked to see yet. */
export type Frozen<Of> = Reading<Of> & { readonly newer: Of | undefined }

/**
 * What a person reads now.
 *
 * @param before what they read until now; undefined before anything was read
 * @param latest the item as the service lists it now; undefined while that is not known, or when the item is gone
 * @param snapshot the item that was on the screen when the last decision was sent; after a reload it is shown as `before`
 */
export function readOn<Of extends Versioned>(
  before: Reading<Of> | undefined,
  latest: Of | undefined,
  snapshot: Of | undefined,
  intent: ItemIntent<Of>,
): Reading<Of> | undefined {
  if (before === undefined) {
    if (latest === undefined) return undefined
    return { shown: latest, before: snapshot && snapshot.version < latest.version ? snapshot : undefined }
  }
  const newer = newerThan(before, latest)
  const isRefused =
    intent?.state === "refused" &&
    ["stale", "resolved", "missing"].includes(refusalOf(intent.error)) &&
    intent.input.version === before.shown.version
  return isRefused && newer !== undefined ? { shown: newer, before: before.shown } : before
}

/** The item in a newer version. A read that began before a change may still bring the older one. */
function newerThan<Of extends Versioned>({ shown }: Reading<Of>, latest: Of | undefined): Of | undefined {
  return latest !== undefined && latest.version > shown.version ? latest : undefined
}

/**
 * The state of one item.
 *
 * - `open`: the person reads it. `intent` is what was sent about it and is not recorded, and `refusal` says why nothing happened.
 * - `recorded`: the service has recorded what was sent from here.
 * - `gone`: nothing can be decided. The item is not listed any more, or was refused as resolved. `stillListed`: the service refused it as
 *   resolved and still lists it as open.
 */
export type DecisionState<Of> =
  | { readonly kind: "loading" }
  | {
      readonly kind: "open"
      readonly frozen: Frozen<Of>
      readonly intent: Exclude<ItemIntent<Of>, { readonly state: "recorded" }>
      readonly refusal: Refusal | undefined
    }
  | { readonly kind: "recorded"; readonly item: Of; readonly replayed: boolean }
  | {
      readonly kind: "gone"
      /** The last known version; undefined where none is known. */
      readonly last: Of | undefined
      readonly error: DeskError | undefined
      readonly stillListed: boolean
    }

type Known<Of extends Versioned> = {
  readonly intent: ItemIntent<Of>
  /** What the person reads; undefined before anything was read. */
  readonly reading: Reading<Of> | undefined
  /** The item as the service lists it now; undefined where it is not listed. */
  readonly latest: Of | undefined
  /** Whether the list of the service has been read. An item that is not in it is gone. */
  readonly listed: boolean
  readonly isOpen: (item: Of) => boolean
}

/** The state of an item, from what was sent, what is on the screen, and what the service lists now. */
export function decisionState<Of extends Versioned>(known: Known<Of>): DecisionState<Of> {
  const { intent, reading, latest, listed } = known
  const isOpen = latest !== undefined && known.isOpen(latest)
  const isRecorded = intent?.state === "recorded"
  // An item that is open again, in a newer version than the recorded one, has to be read and decided anew.
  if (isRecorded && !(isOpen && latest.version > intent.result.version))
    return { kind: "recorded", item: intent.result, replayed: intent.replayed }
  if (reading === undefined && !listed) return { kind: "loading" }

  const refusal = intent?.state === "refused" ? refusalOf(intent.error) : undefined
  // While the outcome is not known, the decision that was sent from here may have resolved the item.
  const mayBeOurs = intent !== undefined && intent.state !== "refused" && !isRecorded
  // The service refused this very version as resolved, and lists no newer version.
  const saysResolved = refusal === "resolved" && latest?.version === intent?.input.version
  if (reading === undefined || (listed && !isOpen && !mayBeOurs) || saysResolved) {
    const error = intent !== undefined && "error" in intent ? intent.error : undefined
    return { kind: "gone", last: latest ?? reading?.shown, error, stillListed: isOpen }
  }
  // A resolved version cannot be decided on, so it is not offered as the newer version.
  const frozen = { ...reading, newer: isOpen ? newerThan(reading, latest) : undefined }
  return { kind: "open", frozen, intent: isRecorded ? undefined : intent, refusal }
}
