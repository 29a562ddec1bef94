import type { DeskError } from "../client/desk-error.ts"
import { type Intent, resendsAt } from "../client/intent.ts"
import { type Refusal, refusalOf } from "./refusal.ts"
import type { Frozen } from "./use-frozen.ts"

/**
 * How an item stands between a person and the service. In every kind with a `letter` the person reads it.
 *
 * - `reading`: nothing was sent.
 * - `sending`: a request is under way.
 * - `unknown`: no readable answer came; it may have taken effect.
 * - `waiting`: the service asked to wait. It is sent again by itself at `resendsAt`; after a long wait the person is asked.
 * - `refused`: nothing happened, and the person may decide again. `refusal` says why.
 * - `forbidden`: the service does not allow this to the desk's account.
 * - `recorded`: the service has recorded what was sent from here.
 * - `gone`: the item does not wait any more. `stillListed` where the service refuses it as resolved and lists it as open.
 */
export type DecisionState<Of> =
  | { readonly kind: "loading" }
  | { readonly kind: "reading" | "sending"; readonly letter: Frozen<Of> }
  | { readonly kind: "unknown" | "forbidden"; readonly letter: Frozen<Of>; readonly error: DeskError }
  | {
      readonly kind: "waiting"
      readonly letter: Frozen<Of>
      readonly error: DeskError
      readonly resendsAt: number | undefined
    }
  | { readonly kind: "refused"; readonly letter: Frozen<Of>; readonly error: DeskError; readonly refusal: Refusal }
  | { readonly kind: "recorded"; readonly item: Of; readonly replayed: boolean }
  | {
      readonly kind: "gone"
      /** As it was known last; undefined where nothing is known. */
      readonly last: Of | undefined
      readonly error: DeskError | undefined
      readonly stillListed: boolean
    }

type Versioned = { readonly version: bigint }

type Known<Of extends Versioned> = {
  readonly intent: Intent<Versioned, Of> | undefined
  /** What the person reads; undefined before anything was read. */
  readonly frozen: Frozen<Of> | undefined
  /** As the service lists it now; undefined where it does not. */
  readonly latest: Of | undefined
  /** Whether the service's list has been read: what is not in it is gone. */
  readonly listed: boolean
  readonly isOpen: (item: Of) => boolean
}

/** The version on which the service refused to act, because the item has changed, is resolved, or was not found. */
export function staleVersionOf(intent: Intent<Versioned, unknown> | undefined): bigint | undefined {
  if (intent?.state !== "refused") return undefined
  return ["stale", "resolved", "missing"].includes(refusalOf(intent.error)) ? intent.input.version : undefined
}

export function decisionState<Of extends Versioned>(known: Known<Of>): DecisionState<Of> {
  const { intent, frozen, latest, listed } = known
  const isOpen = latest !== undefined && known.isOpen(latest)
  if (intent?.state === "recorded" && !(isOpen && latest.version > intent.result.version))
    return { kind: "recorded", item: intent.result, replayed: intent.replayed }
  if (frozen === undefined && !listed) return { kind: "loading" }

  const error = intent !== undefined && "error" in intent ? intent.error : undefined
  const refusal = intent?.state === "refused" ? refusalOf(intent.error) : undefined
  // While the fate of what was sent is open, it may be what has resolved the item.
  const mayBeOurs = intent !== undefined && intent.state !== "refused" && intent.state !== "recorded"
  const saysResolved = refusal === "resolved" && latest?.version === intent?.input.version
  if (frozen === undefined || (listed && !isOpen && !mayBeOurs) || saysResolved)
    return { kind: "gone", last: latest ?? frozen?.shown, error, stillListed: isOpen }

  // What is resolved meanwhile is no version to decide on.
  const letter = isOpen ? frozen : { ...frozen, newer: undefined }
  if (intent === undefined || intent.state === "recorded") return { kind: "reading", letter }
  if (intent.state === "sending") return { kind: "sending", letter }
  if (intent.state === "unknown") return { kind: "unknown", letter, error: intent.error }
  if (intent.state === "waiting") return { kind: "waiting", letter, error: intent.error, resendsAt: resendsAt(intent) }
  if (refusal === "forbidden") return { kind: "forbidden", letter, error: intent.error }
  return { kind: "refused", letter, error: intent.error, refusal: refusal ?? "other" }
}
