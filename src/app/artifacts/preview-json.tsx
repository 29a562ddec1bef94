import { useMemo } from "react"
import { Notice } from "../ui/notice.tsx"
import { JsonNode } from "./json-node.tsx"
import { readJson } from "./json-tree.ts"
import styles from "./preview.module.css"
import { ScrollRegion } from "./scroll-region.tsx"
import { TextPreview } from "./preview-text.tsx"

/** JSON as a tree that renders only what is open. A text that is not JSON is shown as it is. */
export function JsonPreview({ text }: { text: string }) {
  const root = useMemo(() => readJson(text), [text])
  if (root === undefined)
    return (
      <>
        <Notice announce="status" icon="warning" compact>
          This is not valid JSON, although its type says so. It is shown as text.
        </Notice>
        <TextPreview text={text} />
      </>
    )
  return (
    <ScrollRegion label="JSON" className={styles["json"]}>
      <ul>
        <JsonNode value={root.value} level={0} open />
      </ul>
    </ScrollRegion>
  )
}
