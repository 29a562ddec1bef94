import { useEffect, useState } from "react"

/** Whether the person has pressed a key, moved the pointer or scrolled since the page was opened. */
export function useTouched(): boolean {
  const [isTouched, setIsTouched] = useState(false)
  useEffect(() => {
    if (isTouched) return
    const ended = new AbortController()
    for (const type of ["keydown", "pointerdown", "pointermove", "wheel", "scroll"])
      addEventListener(type, () => setIsTouched(true), { capture: true, passive: true, signal: ended.signal })
    return () => ended.abort()
  }, [isTouched])
  return isTouched
}
