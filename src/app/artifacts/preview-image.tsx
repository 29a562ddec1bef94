import { useCallback, useState } from "react"
import { Notice } from "../ui/notice.tsx"
import styles from "./preview.module.css"

/** An image from its bytes alone. In an `img`, SVG too runs no script and loads nothing (SVG 2, secure static mode). */
export function ImagePreview({ image, path }: { image: Blob; path: string }) {
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
      <Notice announce="status" icon="unknown" compact>
        This browser cannot show this image. Download it instead.
      </Notice>
    )
  return (
    <div className={styles["image"]}>
      <img ref={draw} alt={path} draggable={false} onError={() => setBroken(true)} />
    </div>
  )
}
