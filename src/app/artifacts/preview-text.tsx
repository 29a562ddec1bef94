import type { ReactNode, Ref } from "react"
import { Callout } from "../ui/callout.tsx"
import { OutsideParts } from "../ui/outside-text.tsx"
import type { PreviewBlocks } from "./preview-blocks.ts"
import styles from "./preview.module.css"
import type { PlainReason } from "./read-preview.ts"

const reasons: Readonly<Record<PlainReason, string>> = {
  "not-json": "Not valid JSON, so it's shown as text.",
  "too-large": "Too complex to format, so it's shown as text.",
  "too-slow": "Too slow to format, so it's shown as text.",
}

/** A text as it is, with its invisible characters shown. The browser lays out only the visible part. */
export function TextPreview({ blocks, cut, reason }: PreviewBlocks & { reason?: PlainReason }) {
  return (
    <>
      {reason !== undefined && (
        <Callout announce="status" icon="warning" compact>
          {reasons[reason]}
        </Callout>
      )}
      {cut && (
        <Callout announce="status" icon="warning" compact>
          Only the beginning is shown, because the text contains too many hidden characters. Download the file to read
          all of it.
        </Callout>
      )}
      <ScrollRegion label="Text" className={styles["text"]}>
        {blocks.map((parts, index) => (
          <div key={index} className={styles["block"]}>
            <OutsideParts multiline parts={parts} />
          </div>
        ))}
      </ScrollRegion>
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
