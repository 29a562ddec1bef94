import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice } from "../ui/notice.tsx"
import { createWords } from "./create-words.ts"
import styles from "./new-work.module.css"
import type { CreateWork } from "./use-create-work.ts"

type Props = {
  work: CreateWork
  /** Whether it tries again by itself after a pause that the service asks for. */
  resumes: boolean
  onResumes: (resumes: boolean) => void
}

const KEPT = "Everything you entered is kept."

/** What became of the wish to create the Work: under way, refused, to be tried again, or not known. */
export function CreateOutcome({ work: { intent, unchanged, sendAgain }, resumes, onResumes }: Props) {
  if (intent === undefined || intent.state === "recorded") return null
  if (intent.state === "sending")
    return (
      <Notice announce="status" icon="clock" compact>
        Creating the Work…
      </Notice>
    )
  const { error } = intent
  if (intent.state === "unknown")
    return (
      <ErrorAlert
        error={error}
        words={{
          happened: "Outcome unknown: the Work may have been created, and may not.",
          toDo: "Send it again: it goes under the same key, so nothing is created twice.",
        }}
        kept={KEPT}
        action={
          <>
            <Button kind="primary" onClick={sendAgain}>
              Send again
            </Button>
            {!unchanged && (
              <span className="small">
                This sends it as it was. What you have changed since would be Work of its own.
              </span>
            )}
          </>
        }
      />
    )
  const words = createWords(error)
  if (intent.state === "refused") return <ErrorAlert error={error} words={words} kept={KEPT} />
  return (
    <ErrorAlert
      error={error}
      words={unchanged ? words : changedSince(words?.happened)}
      kept={KEPT}
      retryAt={resumes && unchanged ? error.retryAt : undefined}
      action={
        unchanged && (
          <label className={styles["check"]}>
            <input type="checkbox" checked={resumes} onChange={(event) => onResumes(event.target.checked)} />
            Try again by itself, with the same key
          </label>
        )
      }
    />
  )
}

const changedSince = (happened = "No Work was created.") => ({
  happened,
  toDo: "You have changed the form since: create the Work when you are ready.",
})
