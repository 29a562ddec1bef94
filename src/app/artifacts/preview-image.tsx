import { useCallback, useState } from "react"
import { Callout } from "../ui/callout.tsx"
import { writeHidden } from "../ui/hidden-characters.ts"

/** An image from its bytes alone. In an `img`, SVG too runs no script and loads nothing (SVG 2, secure static mode). */
export function ResultImage({ image, path }: { image: Blob; path: string }) {
  const [broken, setBroken] = useState(false)
  const draw = useCallback(
    (element: HTMLImageElement) => {
      const address = URL.createObjectURL(image)
      element.src = address
      return () => URL.revokeObjectURL(address)
    },
    [image],
  )
  if (broken)
    return (
      <Callout announce="status" icon="unknown" compact>
        This browser can't show this image. Download it instead.
      </Callout>
    )
  return <img ref={draw} alt={writeHidden(path)} draggable={false} onError={() => setBroken(true)} />
}
