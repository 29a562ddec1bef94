import { useState } from "react"

type Versioned = { readonly version: bigint }

export type Frozen<Item> = {
  /** What is on the screen. */
  readonly shown: Item
  /** What was on the screen before `shown`, while the change is still to be read. */
  readonly before: Item | undefined
  /** A newer version that waits to be shown. */
  readonly newer: Item | undefined
  readonly showNewer: () => void
}

/**
 * Freezes what a person reads: a newer version waits until it is asked for, unless what is on
 * the screen is the `stale` version, for which the service has refused a decision. `snapshot` is what was on the screen then;
 * after a reload it takes the place of `before`. `latest` is undefined while unknown, or gone.
 */
export function useFrozen<Item extends Versioned>(
  latest: Item | undefined,
  { stale, snapshot }: { readonly stale: bigint | undefined; readonly snapshot: Item | undefined },
): Frozen<Item> | undefined {
  const [reading, setReading] = useState<{ shown: Item; before: Item | undefined }>()
  if (reading === undefined) {
    if (latest === undefined)
      return snapshot && { shown: snapshot, before: undefined, newer: undefined, showNewer: () => {} }
    const first = { shown: latest, before: snapshot && snapshot.version < latest.version ? snapshot : undefined }
    setReading(first)
    return { ...first, newer: undefined, showNewer: () => {} }
  }
  // An answer that was under way before a change may still bring the older version.
  const newer = latest !== undefined && latest.version > reading.shown.version ? latest : undefined
  const shownNewer = newer && { shown: newer, before: reading.shown }
  if (shownNewer !== undefined && stale === reading.shown.version) {
    setReading(shownNewer)
    return { ...shownNewer, newer: undefined, showNewer: () => {} }
  }
  return { ...reading, newer, showNewer: () => shownNewer && setReading(shownNewer) }
}
