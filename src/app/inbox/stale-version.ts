import { useState } from "react"
import type { Intent } from "../client/stored-intent.ts"
import { meaningOfRefusal } from "./refusal-meaning.ts"

type Versioned = { readonly version: bigint }

export type Frozen<Item> = {
  /** What is on the screen. */
  readonly shown: Item
  /** The version that was on the screen before `shown`. The change stays marked while the card is on the screen. */
  readonly before: Item | undefined
  /** A newer version that the person has not asked to see yet. */
  readonly newer: Item | undefined
  readonly showNewer: () => void
}

/**
 * Freezes what a person reads. A newer version waits until the person asks for it. It is shown at once after a refusal which says that the
 * item has a newer version (412), is resolved, or was not found.
 *
 * @param latest the item as the service lists it now; undefined while that is not known, or when the item is gone
 * @param known `refusedVersion`: see `refusedVersionOf`. `snapshot`: the item that was on the screen when the decision was
 * sent; after a reload it is shown as `before`
 */
export function useFrozen<Item extends Versioned>(
  latest: Item | undefined,
  known: { readonly refusedVersion: bigint | undefined; readonly snapshot: Item | undefined },
): Frozen<Item> | undefined {
  const { refusedVersion, snapshot } = known
  const [reading, setReading] = useState<{ shown: Item; before: Item | undefined }>()
  if (reading === undefined) {
    if (latest === undefined)
      return snapshot && { shown: snapshot, before: undefined, newer: undefined, showNewer: () => {} }
    const first = { shown: latest, before: snapshot && snapshot.version < latest.version ? snapshot : undefined }
    setReading(first)
    return { ...first, newer: undefined, showNewer: () => {} }
  }
  // A read that began before a change may still bring the older version.
  const newer = latest !== undefined && latest.version > reading.shown.version ? latest : undefined
  const shownNewer = newer && { shown: newer, before: reading.shown }
  if (shownNewer !== undefined && refusedVersion === reading.shown.version) {
    setReading(shownNewer)
    return { ...shownNewer, newer: undefined, showNewer: () => {} }
  }
  return { ...reading, newer, showNewer: () => shownNewer && setReading(shownNewer) }
}

/**
 * The version that the last decision named, if the decision was refused because the item has changed, is resolved, or was not found. The service
 * or the desk may refuse it.
 */
export function refusedVersionOf(intent: Intent<Versioned, unknown> | undefined): bigint | undefined {
  if (intent?.state !== "refused") return undefined
  return ["stale", "resolved", "missing"].includes(meaningOfRefusal(intent.error)) ? intent.input.version : undefined
}
