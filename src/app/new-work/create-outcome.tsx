import { useKept } from "../client/storage.ts"
import { Button } from "../ui/button.tsx"
import { IntentNotice } from "../ui/intent-notice.tsx"
import { createWords } from "./create-words.ts"
import type { CreateWork } from "./use-create-work.ts"
import { workDraft } from "./work-draft.ts"

/** The state of the request to create the Work: under way, refused, waiting to be sent again, or unknown. */
export function CreateOutcome({ work: { intent, unchanged, sendAgain } }: { work: CreateWork }) {
  const isKept = useKept(workDraft()) === "stored"
  const error = intent !== undefined && "error" in intent ? intent.error : undefined
  const words = error && createWords(error)
  const kept = isKept ? "Everything you entered is kept." : undefined
  return (
    <IntentNotice
      intent={intent}
      sending="Creating the Work…"
      unknown="the Work may or may not have been created."
      words={intent?.state === "waiting" && !unchanged ? changedSince(words?.happened) : words}
      kept={kept}
      keptUnknown={kept}
      resends={unchanged}
      again={
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
}

const changedSince = (happened = "No Work was created.") => ({
  happened,
  toDo: "You have changed the form since then. Create the Work when you are ready.",
})
