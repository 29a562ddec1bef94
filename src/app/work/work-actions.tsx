import { useState } from "react"
import type { Work } from "../../contract/resources.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { safeFileName } from "../ui/safe-name.ts"
import { saveFile } from "../ui/save-file.ts"
import styles from "./work-page.module.css"
import { readWorkExport } from "./read-work-export.ts"
import { type ExportedEvent, writeWorkExport } from "./work-export.ts"

type Props = {
  work: Work
  /** The events received so far, read when the export is written. */
  events: () => readonly ExportedEvent[]
}

/** What can be done with a Work as a whole. */
export function WorkActions({ work, events }: Props) {
  const [isWriting, setIsWriting] = useState(false)
  const save = async () => {
    setIsWriting(true)
    const parts = await readWorkExport(work.id)
    const text = writeWorkExport({ work, ...parts, events: events() })
    saveFile(new Blob([text], { type: "text/markdown" }), safeFileName(`work-${work.id}.md`))
    setIsWriting(false)
  }
  return (
    <div className={styles["actions"]}>
      <ButtonLink to={`/work/new?${new URLSearchParams({ from: work.id })}`} kind="plain" size="small">
        Start from this
      </ButtonLink>
      <Button kind="plain" size="small" disabled={isWriting} onClick={() => void save()}>
        <Icon name="download" size={14} />
        Export Markdown
      </Button>
      <Button kind="plain" size="small" onClick={() => print()}>
        Print
      </Button>
    </div>
  )
}
