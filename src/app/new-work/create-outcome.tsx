import { resendsAt } from "../client/stored-intent.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { NotSentByItself } from "../ui/intent-notice.tsx"
import { Notice } from "../ui/notice.tsx"
import { createWords } from "./create-words.ts"
import styles from "./new-work.module.css"
import type { CreateWork } from "./use-create-work.ts"

type Props = {
  work: CreateWork
  /** Whether the browser stores the draft, so that a reload does not lose it. */
  isKept: boolean
  /** Whether the request is sent again by itself after a pause that the service asks for. */
  resendsAfterWait: boolean
  onResendsAfterWait: (resendsAfterWait: boolean) => void
}

/** The state of the request to create the Work: under way, refused, waiting to be sent again, or unknown. */
export function CreateOutcome({
  work: { intent, unchanged, sendAgain },
  isKept,
  resendsAfterWait,
  onResendsAfterWait,
}: Props) {
  if (intent === undefined || intent.state === "recorded") return null
  if (intent.state === "sending")
    return (
      <Notice announce="status" icon="clock" compact>
        Creating the Work…
      </Notice>
    )
  const { error } = intent
  const kept = isKept ? { kept: "Everything you entered is kept." } : {}
  if (intent.state === "unknown")
    return (
      <ErrorAlert
        error={error}
        words={{
          happened: "Outcome unknown: the Work may or may not have been created.",
          toDo: "Send it again. The same key is used, so no Work is created twice.",
        }}
        {...kept}
        action={
          <>
            <Button kind="primary" onClick={sendAgain}>
              Send again
            </Button>
            {!unchanged && (
              <span className="small">
                This sends the Work as it was before your changes. Your changes stay here as a new draft.
              </span>
            )}
          </>
        }
      />
    )
  const words = createWords(error)
  if (intent.state === "refused") return <ErrorAlert error={error} words={words} {...kept} />
  const sendsAt = resendsAt({ since: intent.since, error })
  return (
    <ErrorAlert
      error={error}
      words={unchanged ? words : changedSince(words?.happened)}
      {...kept}
      retryAt={resendsAfterWait && unchanged ? sendsAt : undefined}
      action={
        unchanged &&
        (sendsAt === undefined ? (
          <NotSentByItself error={error} />
        ) : (
          <label className={styles["check"]}>
            <input
              type="checkbox"
              checked={resendsAfterWait}
              onChange={(event) => onResendsAfterWait(event.target.checked)}
            />
            Try again by itself, with the same key
          </label>
        ))
      }
    />
  )
}

const changedSince = (happened = "No Work was created.") => ({
  happened,
  toDo: "You have changed the form since then. Create the Work when you are ready.",
})
