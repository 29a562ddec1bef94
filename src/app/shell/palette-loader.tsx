import { type ComponentType, useEffect, useRef, useState } from "react"
import { flushSync } from "react-dom"
import type { SignedIn } from "../../contract/desk.ts"
import type { WaitingCounts } from "./waiting-counts.ts"

export type PaletteProps = {
  session: SignedIn
  waiting: WaitingCounts
  onHelp: () => void
  onClose: () => void
}

type Loaded = { readonly Palette: ComponentType<PaletteProps & { typed: string }>; readonly typed: string }

/**
 * Loads the code of the palette when it is first used. Meanwhile this component collects the typed keys for the palette, or they would act as
 * shortcuts of the page. With `lazy` and `Suspense` the palette would appear 300 ms later, because React throttles fallbacks.
 */
export function PaletteLoader(props: PaletteProps) {
  const [loaded, setLoaded] = useState<Loaded>()
  const typed = useRef("")
  const { onClose } = props
  useEffect(() => {
    let left = false
    import("./palette.tsx").then(
      // Rendered in this task, or a key that is pressed before a later rendering would be lost.
      ({ Palette }) => left || flushSync(() => setLoaded({ Palette, typed: typed.current })),
      (error: unknown) =>
        setLoaded(() => {
          // The boundary around this component says that the code could not be loaded.
          throw error
        }),
    )
    return () => {
      left = true
    }
  }, [])
  useEffect(() => {
    if (loaded !== undefined) return
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
  }, [loaded, onClose])
  return loaded && <loaded.Palette {...props} typed={loaded.typed} />
}
