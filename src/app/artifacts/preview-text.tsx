import { type ReactNode, type Ref, useMemo } from "react"
import { Notice } from "../ui/notice.tsx"
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
  const laidOut = useMemo(() => layOutJson(text), [text])
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

/** Lines are indented by two spaces for each level up to this one. Otherwise deep nesting makes the text grow with its square. */
const LEVELS_MAX = 40

/** A JSON text with a line for each member, every number, name and string as it was written; undefined where the text is not JSON. */
export function layOutJson(text: string): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let level = 0
  const newLine = (change: number) => {
    level += change
    return `\n${"  ".repeat(Math.min(level, LEVELS_MAX))}`
  }
  return text.replaceAll(/"(?:[^"\\]+|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g, (token) => {
    if (token === "{" || token === "[") return token + newLine(1)
    if (token === "}" || token === "]") return newLine(-1) + token
    if (token === ",") return token + newLine(0)
    if (token === ":") return ": "
    return token.startsWith('"') ? token : token.replaceAll(/\s/g, "")
  })
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
