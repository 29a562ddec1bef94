import type { DeskError } from "../client/desk-error.ts"
import { type Intent, resendsAt } from "../client/stored-intent.ts"
import { meaningOfRefusal, type RefusalMeaning } from "./refusal-meaning.ts"
import type { Frozen } from "./stale-version.ts"

/**
 * The state of one item. In every state with `frozen` the person reads the item.
 *
 * - `reading`: nothing was sent.
 * - `sending`: a request is under way.
 * - `unknown`: no readable answer came. The request may have taken effect.
 * - `waiting`: the service asked to wait. The request is sent again by itself at `resendsAt`; after a long wait the person sends it.
 * - `refused`: nothing happened, and the person may decide again. `refusal` says why.
 * - `forbidden`: the service does not allow this to the account of the desk.
 * - `recorded`: the service has recorded what was sent from here.
 * - `gone`: nothing can be decided. The item is not listed any more, or was refused as resolved. `stillListed`: the service refused it as
 *   resolved and still lists it as open.
 */
export type DecisionState<Of> =
  | { readonly kind: "loading" }
  | { readonly kind: "reading" | "sending"; readonly frozen: Frozen<Of> }
  | { readonly kind: "unknown" | "forbidden"; readonly frozen: Frozen<Of>; readonly error: DeskError }
  | {
      readonly kind: "waiting"
      readonly frozen: Frozen<Of>
      readonly error: DeskError
      readonly resendsAt: number | undefined
    }
  | {
      readonly kind: "refused"
      readonly frozen: Frozen<Of>
      readonly error: DeskError
      readonly refusal: RefusalMeaning
    }
  | { readonly kind: "recorded"; readonly item: Of; readonly replayed: boolean }
  | {
      readonly kind: "gone"
      /** The last known version; undefined where none is known. */
      readonly last: Of | undefined
      readonly error: DeskError | undefined
      readonly stillListed: boolean
    }

type Versioned = { readonly version: bigint }

type Known<Of extends Versioned> = {
  readonly intent: Intent<Versioned, Of> | undefined
  /** What the person reads; undefined before anything was read. */
  readonly frozen: Frozen<Of> | undefined
  /** The item as the service lists it now; undefined where it is not listed. */
  readonly latest: Of | undefined
  /** Whether the list of the service has been read. An item that is not in it is gone. */
  readonly listed: boolean
  readonly isOpen: (item: Of) => boolean
}

/** The state of an item, from what was sent, what is on the screen, and what the service lists now. */
export function decisionState<Of extends Versioned>(known: Known<Of>): DecisionState<Of> {
  const { intent, frozen, latest, listed } = known
  const isOpen = latest !== undefined && known.isOpen(latest)
  // An item that is open again, in a newer version than the recorded one, has to be read and decided anew.
  if (intent?.state === "recorded" && !(isOpen && latest.version > intent.result.version))
    return { kind: "recorded", item: intent.result, replayed: intent.replayed }
  if (frozen === undefined && !listed) return { kind: "loading" }

  const error = intent !== undefined && "error" in intent ? intent.error : undefined
  const refusal = intent?.state === "refused" ? meaningOfRefusal(intent.error) : undefined
  // While the outcome is not known, the decision that was sent from here may have resolved the item.
  const mayBeOurs = intent !== undefined && intent.state !== "refused" && intent.state !== "recorded"
  // The service refused this very version as resolved, and lists no newer version.
  const saysResolved = refusal === "resolved" && latest?.version === intent?.input.version
  if (frozen === undefined || (listed && !isOpen && !mayBeOurs) || saysResolved)
    return { kind: "gone", last: latest ?? frozen?.shown, error, stillListed: isOpen }

  // A resolved version cannot be decided on, so it is not offered as the newer version.
  const reading = isOpen ? frozen : { ...frozen, newer: undefined }
  if (intent === undefined || intent.state === "recorded") return { kind: "reading", frozen: reading }
  if (intent.state === "sending") return { kind: "sending", frozen: reading }
  if (intent.state === "unknown") return { kind: "unknown", frozen: reading, error: intent.error }
  if (intent.state === "waiting")
    return { kind: "waiting", frozen: reading, error: intent.error, resendsAt: resendsAt(intent) }
  if (refusal === "forbidden") return { kind: "forbidden", frozen: reading, error: intent.error }
  return { kind: "refused", frozen: reading, error: intent.error, refusal: refusal ?? "other" }
}
