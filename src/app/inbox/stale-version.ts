import { useState } from "react"
import type { Intent } from "../client/stored-intent.ts"
import { whyRefused } from "./why-refused.ts"

type Versioned = { readonly version: bigint }

export type Frozen<Item> = {
  /** What is on the screen. */
  readonly shown: Item
  /** What was on the screen before `shown`, until the person has read the change. */
  readonly before: Item | undefined
  /** A newer version that the person has not asked to see yet. */
  readonly newer: Item | undefined
  readonly showNewer: () => void
}

/**
 * Freezes what a person reads. A newer version waits until the person asks for it, unless a decision on the stale version on the screen was
 * refused (412).
 *
 * @param latest the item as the service lists it now; undefined while that is not known, or when the item is gone
 * @param known `refusedVersion`: the version of the last refused decision. `snapshot`: the item that was on the screen when the decision was
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

/** The version on which the service refused to act, because the item has changed, is resolved, or was not found. */
export function refusedVersionOf(intent: Intent<Versioned, unknown> | undefined): bigint | undefined {
  if (intent?.state !== "refused") return undefined
  return ["stale", "resolved", "missing"].includes(whyRefused(intent.error)) ? intent.input.version : undefined
}
