import { useEffect, useState } from "react"
import { type Shortcuts, useShortcuts } from "../ui/shortcuts.ts"
import { itemKey } from "./addresses.ts"
import type { ItemId } from "./item.ts"

/** How long the content under a button has to stay the same before the button acts, in milliseconds. */
const ARMING_MS = 500

/**
 * True once `cardState` has been the same for half a second while `ready`. `cardState` changes whenever something on the card changes, so a
 * click that was meant for what was under the pointer before does nothing.
 */
export function useArmed(cardState: string, ready = true): boolean {
  const [armedFor, setArmedFor] = useState<string>()
  useEffect(() => {
    if (!ready) return
    const timer = setTimeout(() => setArmedFor(cardState), ARMING_MS)
    return () => {
      clearTimeout(timer)
      setArmedFor(undefined)
    }
  }, [cardState, ready])
  return ready && armedFor === cardState
}

/**
 * Single keys that act on an item: on the one whose card has the focus, else on the `current` one.
 *
 * @param active false switches the keys off
 */
export function useItemKeys(id: ItemId, current: boolean, shortcuts: Shortcuts, active: boolean): void {
  const takes = ({ target }: KeyboardEvent) => {
    const card = target instanceof Element ? target.closest<HTMLElement>("[data-card]") : null
    return card === null ? current : card.dataset["card"] === itemKey(id)
  }
  useShortcuts(shortcuts, { active, takes })
}
