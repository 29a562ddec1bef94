import { type RefCallback, useCallback, useState } from "react"

/** Whether one of the elements `selector` below an element is too narrow for its text. The second value is a ref. */
export function useIsCut(selector: string): readonly [isCut: boolean, frame: RefCallback<HTMLElement>] {
  const [isCut, setIsCut] = useState(false)
  const frame = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined
      const look = () =>
        setIsCut([...element.querySelectorAll(selector)].some((each) => each.scrollWidth > each.clientWidth + 1))
      const size = new ResizeObserver(look)
      size.observe(element)
      const changed = new MutationObserver(look)
      changed.observe(element, { childList: true, subtree: true, characterData: true })
      return () => {
        size.disconnect()
        changed.disconnect()
      }
    },
    [selector],
  )
  return [isCut, frame]
}
