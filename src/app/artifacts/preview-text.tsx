import { type ReactNode, type Ref, useMemo } from "react"
import { Notice } from "../ui/notice.tsx"
import { isJson, layOutJson } from "../ui/json-text.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./preview.module.css"
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

/** JSON, laid out. A text that is not JSON is shown as it is. */
export function JsonPreview({ text }: { text: string }) {
  const laidOut = useMemo(() => (isJson(text) ? layOutJson(text) : undefined), [text])
  return (
    <>
      {laidOut === undefined && (
        <Notice announce="status" icon="warning" compact>
          This is not valid JSON, although its type says so. It is shown as text.
        </Notice>
      )}
      <TextPreview text={laidOut ?? text} />
    </>
  )
}

type RegionProps = { label: string; className: string | undefined; ref?: Ref<HTMLElement>; children: ReactNode }

/** The keyboard must reach a region that scrolls (WCAG 2.1.1). Not every browser gives the region a place in the tab order. */
const reachable = { tabIndex: 0 }

/** A named part of a preview that scrolls on its own. */
export function ScrollRegion({ label, className, ref, children }: RegionProps) {
  return (
    <section ref={ref} aria-label={label} className={className} {...reachable}>
      {children}
    </section>
  )
}
