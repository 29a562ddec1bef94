import { useState } from "react"

/**
 * Reacts to a key or a click that comes before its button is ready: the button shakes once, and a status shows why.
 *
 * @param state a text that changes when the reason may no longer apply, which clears the status
 */
export function useTooEarly(state: string) {
  const [refused, setRefused] = useState<{ readonly state: string; readonly why: string }>()
  return {
    /** The text of the status. */
    why: refused?.state === state ? refused.why : "",
    refuse: (button: Element | null, why: string) => {
      shake(button)
      setRefused({ state, why })
    },
  }
}

/** People who prefer reduced motion only get the text. */
function shake(button: Element | null): void {
  if (button === null || matchMedia("(prefers-reduced-motion: reduce)").matches) return
  button.animate({ translate: ["0", "-4px", "4px", "-2px", "0"] }, { duration: 240 })
}
