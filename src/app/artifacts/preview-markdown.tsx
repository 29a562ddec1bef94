import { useMemo } from "react"
import { MarkdownTokens } from "./markdown-tokens.tsx"
import { readMarkdown } from "./markdown.ts"
import styles from "./preview.module.css"
import { ScrollRegion } from "./scroll-region.tsx"
import { TextPreview } from "./preview-text.tsx"

/** Markdown as React elements: no HTML of the text, and no address that can be followed or loaded. */
export function MarkdownPreview({ text }: { text: string }) {
  const tokens = useMemo(() => readMarkdown(text), [text])
  if (tokens === undefined) return <TextPreview text={text} />
  return (
    <ScrollRegion label="Markdown" className={styles["markdown"]}>
      <MarkdownTokens tokens={tokens} />
    </ScrollRegion>
  )
}
