import { useMemo } from "react"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./preview.module.css"
import { ScrollRegion } from "./scroll-region.tsx"
import { textBlocks } from "./text-blocks.ts"

/** A text as it is, with its invisible characters shown. The browser lays out only the visible part. */
export function TextPreview({ text }: { text: string }) {
  const { blocks, cut } = useMemo(() => textBlocks(text), [text])
  return (
    <>
      {cut && (
        <Notice announce="status" icon="warning" compact>
          The text has very many invisible characters, so only its beginning is shown. The download has the whole text.
        </Notice>
      )}
      <ScrollRegion label="Text" className={styles["text"]}>
        {blocks.map((block, index) => (
          <div key={index} className={styles["block"]}>
            <OutsideText multiline>{block}</OutsideText>
          </div>
        ))}
      </ScrollRegion>
    </>
  )
}
