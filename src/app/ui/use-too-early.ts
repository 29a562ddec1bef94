import { useState } from "react"

/**
 * Answers a key or a click that comes before its button acts: the button shakes once, and a status says why.
 *
 * @param state a text that changes when the reason may be over. Then nothing is said any more.
 */
export function useTooEarly(state: string) {
  const [refused, setRefused] = useState<{ readonly state: string; readonly why: string }>()
  return {
    /** What the status says. */
    why: refused?.state === state ? refused.why : "",
    refuse: (button: Element | null, why: string) => {
      shake(button)
      setRefused({ state, why })
    },
  }
}

/** A person who wants less motion only reads why. */
function shake(button: Element | null): void {
  if (button === null || matchMedia("(prefers-reduced-motion: reduce)").matches) return
  button.animate({ translate: ["0", "-4px", "4px", "-2px", "0"] }, { duration: 240 })
}
