import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Button } from "../ui/button.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { askPreviewWorker } from "./ask-preview-worker.ts"
import { MarkdownText } from "./preview-markdown.tsx"
import styles from "./preview.module.css"

/** The longest text that is shown as Markdown, in characters. */
const MARKDOWN_MAX = 50_000

/** What a text has that Markdown shows in another way: marks, lists, tables, HTML, code and addresses. Line breaks look alike in both. */
const MARKUP = /[*_`~#>|[\]<&\\]|^ {0,3}(?:[-+]|\d{1,9}[.)]) |^ {0,3}(?:-|={2})|^ {4}|https?:|www\./m

/**
 * A text that a person has written, as Markdown without links, images and headings. Until it is parsed, and where that takes too long, it is shown
 * as it was written.
 */
export function WrittenText({ text }: { text: string }) {
  const [isAsWritten, setAsWritten] = useState(false)
  const { data } = useQuery({
    queryKey: ["written-text", text],
    queryFn: ({ signal }) => askPreviewWorker({ kind: "markdown", text, whole: true }, signal),
    enabled: text.length <= MARKDOWN_MAX && MARKUP.test(text),
    staleTime: Infinity,
    retry: false,
    structuralSharing: false,
  })
  const tree = typeof data === "object" && "tree" in data ? data.tree : undefined
  return (
    <>
      {tree === undefined || isAsWritten ? <OutsideText multiline>{text}</OutsideText> : <MarkdownText tree={tree} />}
      {tree !== undefined && (
        <div className={styles["asWritten"]}>
          <Button kind="plain" size="small" aria-pressed={isAsWritten} onClick={() => setAsWritten(!isAsWritten)}>
            Show as written
          </Button>
        </div>
      )}
    </>
  )
}
