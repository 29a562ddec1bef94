import { useState } from "react"
import type { Work } from "../../contract/resources.ts"
import { Button } from "../ui/button.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"
import styles from "./work-page.module.css"

const words: Readonly<Record<string, string>> = {
  working: "Working",
  needs_you: "Needs You",
  paused: "Paused",
  done: "Done",
}

/** Announces a new status of the open Work to screen readers, and shows a button where its title or objective has changed. */
export function WorkChange({ work, textChanged, onShow }: { work: Work; textChanged: boolean; onShow: () => void }) {
  const [status, setStatus] = useState(work.status)
  const [announcement, setAnnouncement] = useState("")
  if (status !== work.status) {
    setStatus(work.status)
    setAnnouncement(`The Work is now: ${words[work.status] ?? work.status}`)
  }
  return (
    <>
      <div aria-live="polite" className="visually-hidden">
        {announcement}
        {textChanged && " The title or the objective of this Work was changed."}
      </div>
      {textChanged && (
        <div className={styles["notice"]}>
          <Notice tone="warn" icon="refresh" compact>
            <NoticeLine>
              The title or the objective was changed while you read.
              <Button size="small" onClick={onShow}>
                Show the change
              </Button>
            </NoticeLine>
          </Notice>
        </div>
      )}
    </>
  )
}

type Text = Pick<Work, "title" | "objective">

/** Freezes the title and the objective of a Work while a person reads them. A change is shown when the person asks for it. */
export function useFrozenText(work: Work | undefined): {
  readonly shown: Text | undefined
  readonly hasChanged: boolean
  readonly showChange: () => void
} {
  const [shown, setShown] = useState<Text>()
  if (shown === undefined && work !== undefined) setShown(textOf(work))
  const hasChanged =
    work !== undefined && shown !== undefined && (work.title !== shown.title || work.objective !== shown.objective)
  return {
    shown: shown ?? work,
    hasChanged,
    showChange: () => {
      if (work !== undefined) setShown(textOf(work))
    },
  }
}

const textOf = ({ title, objective }: Text): Text => ({ title, objective })
