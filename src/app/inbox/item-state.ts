/** What can be done about an item: from what was sent, what is on the screen, and what the service lists. */
import type { RefusalCode } from "../../contract/refusal-codes.ts"
import type { DeskError, Failure } from "../client/desk-error.ts"
import type { Intent } from "../client/stored-intent.ts"
import type { Resolved } from "./item.ts"
import { lookUp } from "../ui/look-up.ts"

/**
 * What a refused answer or decision means for the item (openapi.yaml, resolveWorkAttention and resolveWorkApproval). The cards and buttons
 * of an item branch on this, and not on the failure or code of the error.
 *
 * - `stale`: the item has a newer version. The person reads what changed and decides again.
 * - `resolved`: the item was answered or decided before.
 * - `missing`: the service does not find the item for now, and may still list the item.
 * - `rule`: a rule of the desk does not let this person approve. They may decline.
 * - `sign-in-again`: a rule of the desk asks for a newer sign-in.
 * - `role`: the person does not have the role.
 * - `forbidden`: the service does not let the desk's account resolve the item.
 * - `other`: nothing happened, and the person may send the answer or decision again.
 */
export type Refusal = "stale" | "resolved" | "missing" | "rule" | "sign-in-again" | "role" | "forbidden" | "other"

const BY_CODE: Readonly<Partial<Record<RefusalCode | "IDEMPOTENCY_CONFLICT", Refusal>>> = {
  PROXY_RULE: "rule",
  PROXY_SIGN_IN_AGAIN: "sign-in-again",
  PROXY_ROLE_MISSING: "role",
  PROXY_NO_ROLE: "role",
  PROXY_APPROVALS_CHANGED: "other",
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
  return lookUp(BY_CODE, code) ?? (failure && BY_FAILURE[failure]) ?? "other"
}

/** Whether a refusal means that the version on the screen is not the current one. */
const meansOutdated = (refusal: Refusal): boolean => ["stale", "resolved", "missing"].includes(refusal)

type Versioned = { readonly version: bigint }
type ItemIntent = Intent<Versioned, Resolved> | undefined

/** What a person reads. The shown version changes only when the person asks, or after a refusal that says it is not current (`nextReading`). */
export type Reading<Of> = {
  readonly shown: Of
  /** The version that was on the screen before `shown`. The change stays marked while the card is on the screen. */
  readonly before: Of | undefined
}

/**
 * What a person reads next. A newer version replaces the shown version in one case only: the service refused a decision about the shown version
 * as stale, resolved or missing.
 *
 * @param current what the person read until now; undefined before anything was read
 * @param latest the item as the service lists it now; undefined while that is not known, or when the item is gone
 * @param sent the version that was on the screen when the last decision was sent; after a reload it is shown as `before`
 */
export function nextReading<Of extends Versioned>(
  current: Reading<Of> | undefined,
  latest: Of | undefined,
  sent: Of | undefined,
  intent: ItemIntent,
): Reading<Of> | undefined {
  if (current === undefined)
    return latest && { shown: latest, before: sent && sent.version < latest.version ? sent : undefined }
  const newer = newerThan(current, latest)
  const isShownOutdated =
    intent?.state === "refused" &&
    meansOutdated(refusalOf(intent.error)) &&
    intent.input.version === current.shown.version
  return isShownOutdated && newer !== undefined ? { shown: newer, before: current.shown } : current
}

/** The item in a newer version than the shown one. A read that began before a change may still bring an older version. */
function newerThan<Of extends Versioned>({ shown }: Reading<Of>, latest: Of | undefined): Of | undefined {
  return latest !== undefined && latest.version > shown.version ? latest : undefined
}

/** An item that a person reads, and may answer or decide. */
export type OpenState<Of> = Reading<Of> & {
  readonly kind: "open"
  /** The newer version that the person has not asked to see yet. */
  readonly newer: Of | undefined
  /**
   * - `ready`: the service lists the item as open, and no request is under way.
   * - `busy`: a request is under way, or the service has asked for a pause.
   * - `not-listed`: the service does not list the item as open.
   */
  readonly phase: "ready" | "busy" | "not-listed"
  /** What was sent about the item and is not confirmed. */
  readonly intent: Exclude<ItemIntent, { readonly state: "confirmed" }>
  /** Why nothing happened when a decision about this version was sent. */
  readonly refusal: Refusal | undefined
}

/**
 * The state of one item.
 *
 * - `confirmed`: the service has what was sent from here.
 * - `gone`: nothing can be decided. The service no longer lists the item, or refused a decision because the item was resolved. `stillListed`: it
 *   refused the decision, but still lists the item as open.
 */
export type ItemState<Of> =
  | { readonly kind: "loading" }
  | OpenState<Of>
  | { readonly kind: "confirmed"; readonly resolved: Resolved; readonly replayed: boolean }
  | {
      readonly kind: "gone"
      /** The last known version; undefined where none is known. */
      readonly last: Of | undefined
      readonly error: DeskError | undefined
      readonly stillListed: boolean
    }

/** How the service lists an item now. */
export type Listing<Of> = {
  /** The item in the list; undefined where it is not listed. */
  readonly latest: Of | undefined
  /** Whether the list has been read. An item that is missing from a list that was read is gone. */
  readonly isListRead: boolean
  /** When that list was read, in ms since 1970 on this machine's clock; 0 where `latest` does not come from that list. */
  readonly readAt: number
}

type Known<Of> = Listing<Of> & {
  readonly intent: ItemIntent
  /** What the person reads; undefined before anything was read. */
  readonly reading: Reading<Of> | undefined
  readonly isOpen: (item: Of) => boolean
  /** Whether the service has asked for a pause (`Retry-After`) that is not over. */
  readonly isPausing: boolean
}

/**
 * The state of an item. The first row that fits counts:
 *
 * | what was sent from here                  | what the service lists                   | state                            |
 * | ---------------------------------------- | ---------------------------------------- | -------------------------------- |
 * | is confirmed                             | the item has not been opened again       | `confirmed`                      |
 * | anything                                 | unknown, and nothing is on the screen    | `loading`                        |
 * | nothing, or was refused                  | the item is not open                     | `gone`                           |
 * | anything, and nothing is on the screen   | the item is not open                     | `gone`                           |
 * | was refused as resolved                  | this very version                        | `gone`                           |
 * | is being sent, or its outcome is unknown | the item is not open                     | `open`: its outcome is awaited   |
 * | anything                                 | the item is open                         | `open`                           |
 */
export function itemState<Of extends Versioned>(known: Known<Of>): ItemState<Of> {
  const { intent, reading, latest, isListRead, readAt, isPausing } = known
  const isOpen = latest !== undefined && known.isOpen(latest)
  if (intent?.state === "confirmed") {
    const { result: resolved, since, replayed } = intent
    // A later answer of the service counts: an item that is open again is decided again, even in a lower version after a restore.
    const isOpenAgain = isOpen && (latest.version > resolved.version || readAt > since)
    if (!isOpenAgain) return { kind: "confirmed", resolved, replayed }
  }
  if (reading === undefined && !isListRead) return { kind: "loading" }

  const sent = shownIntent(intent, reading)
  const refusal = sent?.state === "refused" ? refusalOf(sent.error) : undefined
  // Until the outcome is known, the decision that was sent from here may be why the item left the list.
  const awaitsOutcome = sent !== undefined && refusal === undefined
  const wasResolvedElsewhere = isListRead && !isOpen && !awaitsOutcome
  // The service refused this very version as resolved, and lists no newer version.
  const wasRefusedAsResolved = refusal === "resolved" && latest?.version === sent?.input.version
  if (reading === undefined || wasResolvedElsewhere || wasRefusedAsResolved) {
    const error = sent !== undefined && "error" in sent ? sent.error : undefined
    return { kind: "gone", last: latest ?? reading?.shown, error, stillListed: isOpen }
  }
  return {
    ...reading,
    kind: "open",
    // A newer version that is resolved cannot be decided on, so the card does not offer it.
    newer: isOpen ? newerThan(reading, latest) : undefined,
    phase: phaseOf({ isSending: sent?.state === "sending", isOpen, isPausing }),
    intent: sent,
    refusal,
  }
}

type PhaseOptions = { readonly isSending: boolean; readonly isOpen: boolean; readonly isPausing: boolean }

function phaseOf({ isSending, isOpen, isPausing }: PhaseOptions): OpenState<never>["phase"] {
  if (isSending) return "busy"
  if (!isOpen) return "not-listed"
  return isPausing ? "busy" : "ready"
}

/**
 * The intent, if the card still has to show it. The card shows a refusal of the version on the screen, and the refusal that replaced `before` by
 * this version. Any other refusal is about a version that is no longer on the screen.
 */
function shownIntent(intent: ItemIntent, reading: Reading<Versioned> | undefined) {
  if (intent === undefined || intent.state === "confirmed") return undefined
  if (intent.state !== "refused" || reading === undefined) return intent
  const { version } = intent.input
  const broughtShown = version === reading.before?.version && meansOutdated(refusalOf(intent.error))
  return version === reading.shown.version || broughtShown ? intent : undefined
}
