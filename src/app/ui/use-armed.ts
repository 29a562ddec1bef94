import { useEffect, useState } from "react"

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
