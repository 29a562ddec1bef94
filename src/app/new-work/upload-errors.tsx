import type { ReactNode } from "react"
import type { DeskError } from "../client/desk-error.ts"
import type { Intent } from "../client/intent.ts"
import type { IntentControls } from "../client/use-intent.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import type { ErrorWords } from "../ui/error-words.ts"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import type { Input } from "./use-inputs.ts"

type Controls = Pick<IntentControls<never, unknown>, "sendAgain"> & {
  readonly intent: Intent<unknown, unknown> | undefined
  /** Sends what was refused once more; without it another button does. */
  readonly retry?: () => void
}

/** What went wrong with an input, where it stands, with the way out. */
export function UploadErrors({ input, sending, scan }: { input: Input; sending: Controls; scan: Controls }) {
  const { draft, standing, error } = input
  if (draft.problem !== undefined)
    return (
      <Notice announce="alert" tone="bad" icon="warning" compact>
        <span>
          <OutsideText>{`${draft.name} was not sent.`}</OutsideText> {draft.problem}
        </span>
      </Notice>
    )
  if (draft.uploadId === undefined) {
    return <IntentError controls={sending} name={draft.name} unknown={sendUnknown} words={uploadWords} />
  }
  return (
    <>
      {standing === "failed" && (
        <IntentError controls={scan} name={draft.name} unknown={scanUnknown} words={() => undefined} />
      )}
      {standing === "expired" && (
        <Hint>Its time at the service is over. It is sent anew from what the browser keeps.</Hint>
      )}
      {standing === "consumed" && <Hint>It was attached to Work already, which can be done once.</Hint>}
      {error !== undefined && (
        <ErrorAlert
          error={error}
          words={standing === "unreadable" ? gone : undefined}
          retryAt={error.retryAt}
          compact
        />
      )}
    </>
  )
}

type IntentErrorProps = {
  controls: Controls
  name: string
  unknown: string
  words: (error: DeskError) => ErrorWords | undefined
}

function IntentError({ controls: { intent, sendAgain, retry }, name, unknown, words }: IntentErrorProps) {
  if (intent === undefined || !("error" in intent)) return null
  const { error, state } = intent
  const again = (onClick: () => void) => (
    <Button size="small" onClick={onClick}>
      Send again
      <span className="visually-hidden">
        {" "}
        <OutsideText>{name}</OutsideText>
      </span>
    </Button>
  )
  if (state !== "unknown")
    return (
      <ErrorAlert
        error={error}
        words={words(error)}
        retryAt={error.retryAt}
        compact
        action={state === "refused" && retry !== undefined ? again(retry) : undefined}
      />
    )
  return (
    <ErrorAlert
      error={error}
      words={{ happened: unknown, toDo: "Send it again: it goes under the same key, so it counts once." }}
      kept="The file is kept."
      compact
      action={again(sendAgain)}
    />
  )
}

const sendUnknown = "Outcome unknown: the service may have taken the file, and may not."
const scanUnknown = "Outcome unknown: the new scan may have been queued, and may not."

function uploadWords(error: DeskError): ErrorWords | undefined {
  if (error.status !== 422) return undefined
  return {
    happened: "Your organization's data policy blocks this file; the service did not take it.",
    toDo: "Remove it, or choose one without what is blocked.",
  }
}

const gone: ErrorWords = {
  happened: "The service does not have this file any more.",
  toDo: "Send it again or remove it.",
}

function Hint({ children }: { children: ReactNode }) {
  return <p className="small soft">{children}</p>
}
