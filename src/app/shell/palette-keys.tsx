import { type RefObject, useEffect } from "react"
import type { SignedIn } from "../../contract/desk-people.ts"
import type { WaitingCounts } from "./waiting-counts.ts"

export type PaletteProps = {
  session: SignedIn
  waiting: WaitingCounts
  /** The text that was typed while the code of the palette was loading. */
  typed: RefObject<string>
  onHelp: () => void
  onClose: () => void
}

/** Collects the typed keys for the palette while its code is loading. Otherwise they would act as shortcuts of the page. */
export function CollectKeys({ typed, onClose }: PaletteProps): null {
  useEffect(() => {
    const keep = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      event.stopImmediatePropagation()
      if (event.key === "Escape") onClose()
      else if (event.key === "Backspace") typed.current = typed.current.slice(0, -1)
      else if (event.key.length === 1) typed.current += event.key
    }
    addEventListener("keydown", keep, { capture: true })
    return () => removeEventListener("keydown", keep, { capture: true })
  }, [typed, onClose])
  return null
}
