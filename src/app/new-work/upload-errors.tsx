import type { DeskError } from "../client/desk-error.ts"
import type { IntentControls } from "../client/send-intent.ts"
import type { Intent } from "../client/stored-intent.ts"
import { Button } from "../ui/button.tsx"
import { Callout } from "../ui/callout.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import type { ErrorWords } from "../ui/error-words.tsx"
import { IntentCallout } from "../ui/intent-callout.tsx"
import { HiddenName, OutsideText } from "../ui/outside-text.tsx"
import type { Input, InputState } from "./input-states.ts"
import { CONTENT_GONE } from "./input-uploads.ts"

type Controls = Pick<IntentControls<never, unknown>, "sendAgain"> & {
  readonly intent: Intent<unknown, unknown> | undefined
  /** Sends the input again after a refusal. Left out where another button does that. */
  readonly retry?: () => void
}

type Props = { input: Input; isSentWithWork: boolean; sending: Controls; scan: Controls }

/** Why an input was not sent or scanned, and what a person can do about it. */
export function UploadErrors({ input, isSentWithWork, sending, scan }: Props) {
  const { draft, state, error } = input
  if (state === "unfit" || state === "gone")
    return (
      <Callout announce="alert" tone="bad" icon="warning" compact>
        <span>
          <OutsideText>{`${draft.name} wasn't sent.`}</OutsideText> {draft.problem ?? CONTENT_GONE}
        </span>
      </Callout>
    )
  if (draft.uploadId === undefined) {
    return <IntentError controls={sending} name={draft.name} unknown={sendUnknown} words={uploadWords} />
  }
  const hint = isSentWithWork && state === "consumed" ? undefined : hints[state]
  return (
    <>
      {state === "scan_failed" && <IntentError controls={scan} name={draft.name} unknown={scanUnknown} />}
      {hint !== undefined && <p className="small soft">{hint}</p>}
      {error !== undefined && (
        <ErrorAlert error={error} words={state === "lost" ? gone : undefined} retryAt={error.retryAt} compact />
      )}
    </>
  )
}

const hints: Readonly<Partial<Record<InputState, string>>> = {
  expired: "Unused files expire after a while. Send this one again.",
  consumed: "This file is already attached to a Work.",
}

type IntentErrorProps = {
  controls: Controls
  name: string
  unknown: string
  words?: (error: DeskError) => ErrorWords | undefined
}

function IntentError({ controls: { intent, sendAgain, retry }, name, unknown, words }: IntentErrorProps) {
  const hiddenName = <HiddenName>{name}</HiddenName>
  return (
    <IntentCallout
      intent={intent}
      unknown={unknown}
      words={intent !== undefined && "error" in intent ? words?.(intent.error) : undefined}
      keptUnknown="The file is kept."
      onSendAgain={sendAgain}
      againName={hiddenName}
      action={
        retry !== undefined && (
          <Button size="small" onClick={retry}>
            Send again{hiddenName}
          </Button>
        )
      }
      compact
    />
  )
}

const sendUnknown = "the service may or may not have the file."
const scanUnknown = "the new scan may or may not have been queued."

function uploadWords(error: DeskError): ErrorWords | undefined {
  if (error.failure !== "blocked") return undefined
  return {
    happened: "The service rejected this file: your organization's data policy blocks it.",
    toDo: "Remove it, or choose a file without the blocked content.",
  }
}

const gone: ErrorWords = {
  happened: "The service no longer has this file.",
  toDo: "Send it again or remove it.",
}
