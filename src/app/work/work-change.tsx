import { useState } from "react"
import type { Work } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { statusWord } from "../ui/status.tsx"
import styles from "./work-page.module.css"

/** Announces a new status of the open Work to screen readers, and shows a button where its title or objective has changed. */
export function WorkChange({ work, textChanged, onShow }: { work: Work; textChanged: boolean; onShow: () => void }) {
  const [status, setStatus] = useState(work.status)
  const [announcement, setAnnouncement] = useState("")
  if (status !== work.status) {
    setStatus(work.status)
    setAnnouncement(`The Work is now: ${statusWord(work.status)}`)
  }
  return (
    <>
      <div aria-live="polite" className="visually-hidden">
        {announcement}
        {textChanged && " The title or the objective of this Work was changed."}
      </div>
      {textChanged && (
        <div className={styles["callout"]}>
          <Callout tone="warn" icon="refresh" compact>
            <CalloutLine>
              The title or the objective was changed while you read.
              <Button size="small" onClick={onShow}>
                Show the change
              </Button>
            </CalloutLine>
          </Callout>
        </div>
      )}
    </>
  )
}

/** Freezes the title and the objective of a Work while a person reads them. A change is shown when the person asks for it. */
export function useFrozenText(work: Work | undefined) {
  const [frozen, setFrozen] = useState(work)
  if (frozen === undefined && work !== undefined) setFrozen(work)
  const shown: Pick<Work, "title" | "objective"> | undefined = frozen ?? work
  return {
    shown,
    hasChanged: shown?.title !== work?.title || shown?.objective !== work?.objective,
    showChange: () => setFrozen(work),
  }
}
