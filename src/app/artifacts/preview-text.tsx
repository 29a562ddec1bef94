import { type ReactNode, type Ref, useMemo } from "react"
import { OutsideText, splitHidden } from "../ui/outside-text.tsx"
import { isJson, layOutJson } from "../ui/json-text.ts"
import { Callout } from "../ui/callout.tsx"
import styles from "./preview.module.css"

/** A text as it is, with its invisible characters shown. The browser lays out only the visible part. */
export function TextPreview({ text }: { text: string }) {
  const { blocks, cut } = useMemo(() => textBlocks(text), [text])
  return (
    <>
      {cut && (
        <Callout announce="status" icon="warning" compact>
          The text has very many invisible characters, so only its beginning is shown. The download has the whole text.
        </Callout>
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
        <Callout announce="status" icon="warning" compact>
          This is not valid JSON, although its type says so. It is shown as text.
        </Callout>
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

const BLOCK_CHARACTERS = 4_000
/** The most invisible characters that are shown. Each is an element, and a hostile text has enough of them to make the page slow. */
const HIDDEN_MAX = 3_000

/**
 * Cuts a text at its line ends into blocks that are laid out one by one. A very long line is cut anywhere but within a character. `cut`
 * says that the text has too many invisible characters, and only its beginning is returned.
 */
export function textBlocks(text: string): { readonly blocks: readonly string[]; readonly cut: boolean } {
  const blocks: string[] = []
  let hidden = 0
  for (let begin = 0; begin < text.length;) {
    const end = endOfBlock(text, begin)
    const block = text.slice(begin, end)
    hidden += splitHidden(block).filter((part) => "hidden" in part).length
    if (hidden > HIDDEN_MAX) return { blocks, cut: true }
    // The end of the block ends the line.
    blocks.push(block.replace(/\r?\n$/, ""))
    begin = end
  }
  return { blocks, cut: false }
}

function endOfBlock(text: string, begin: number): number {
  const wanted = begin + BLOCK_CHARACTERS
  if (wanted >= text.length) return text.length
  const line = text.lastIndexOf("\n", wanted)
  if (line > begin) return line + 1
  const splitsPair = /[\uD800-\uDBFF]/.test(text[wanted - 1] ?? "")
  return splitsPair ? wanted - 1 : wanted
}
