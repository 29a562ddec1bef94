import { useKept } from "../client/draft.ts"
import { resendsAt } from "../client/stored-intent.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { NotSentByItself } from "../ui/intent-notice.tsx"
import { Notice } from "../ui/notice.tsx"
import { createWords } from "./create-words.ts"
import type { CreateWork } from "./use-create-work.ts"
import { workDraft } from "./work-draft.ts"

/** The state of the request to create the Work: under way, refused, waiting to be sent again, or unknown. */
export function CreateOutcome({ work: { intent, unchanged, sendAgain } }: { work: CreateWork }) {
  const isKept = useKept(workDraft()) === "stored"
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
  const sendsAt = unchanged ? resendsAt({ ...intent, error }) : undefined
  return (
    <ErrorAlert
      error={error}
      words={unchanged ? words : changedSince(words?.happened)}
      {...kept}
      retryAt={sendsAt}
      action={unchanged && sendsAt === undefined && <NotSentByItself error={error} />}
    />
  )
}

const changedSince = (happened = "No Work was created.") => ({
  happened,
  toDo: "You have changed the form since then. Create the Work when you are ready.",
})
