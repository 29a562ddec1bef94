import type { DeskError, Failure } from "../client/desk-error.ts"
import { useKept } from "../client/storage.ts"
import type { ErrorWords } from "../ui/error-words.ts"
import { IntentCallout } from "../ui/intent-callout.tsx"
import type { DraftProblem, FieldName } from "./create-request.ts"
import { type Input, isPending, isStuck } from "./input-state.ts"
import type { CreateWork } from "./use-create-work.ts"
import { workDraft } from "./work-draft.ts"

/** The state of the request to create the Work: under way, refused or unknown. */
export function CreateOutcome({ work: { intent, unchanged, sendAgain } }: { work: CreateWork }) {
  const isKept = useKept(workDraft()) === "stored"
  const error = intent !== undefined && "error" in intent ? intent.error : undefined
  const words = error && createWords(error)
  const kept = isKept ? "Everything you entered is kept." : undefined
  return (
    <IntentCallout
      intent={intent}
      sending="Creating the Work…"
      unknown="the Work may or may not have been created."
      words={words}
      kept={kept}
      keptUnknown={kept}
      onSendAgain={sendAgain}
      againNote={
        !unchanged && (
          <span className="small">
            This sends the Work as it was before your changes. Your changes stay here as a new draft.
          </span>
        )
      }
    />
  )
}

const byCode: Readonly<Record<string, ErrorWords>> = {
  IDEMPOTENCY_CONFLICT: {
    happened: "The key of this request belongs to another request.",
    toDo: "Create the Work again. It is then sent under a new key.",
  },
  INPUT_NOT_READY: {
    happened: "No Work was created: a file is still being scanned.",
    toDo: "Create the Work again when its scan is over.",
  },
  INPUT_SCAN_FAILED: {
    happened: "No Work was created: a file did not pass its scan.",
    toDo: "Scan it again or remove it, then create the Work again.",
  },
}

const byFailure: Readonly<Partial<Record<Failure, ErrorWords>>> = {
  invalid: {
    happened: "No Work was created: the service did not accept an entry.",
    toDo: "Change it, then create again.",
  },
  "not-visible": {
    happened: "No Work was created: the colleague, or a file, is not there or not visible to this account.",
    toDo: "Choose another colleague, then create again.",
  },
  conflict: {
    happened: "No Work was created: a file was used meanwhile, or has expired.",
    toDo: "Send the file again or remove it, then create the Work again.",
  },
  blocked: {
    happened: "No Work was created: your organization's data policy blocks the objective or a file.",
    toDo: "Change the blocked text or file, then create again.",
  },
  "too-many": {
    happened: "No Work was created. The service asks for a pause: too many requests in a short time.",
    toDo: "Create the Work again when the pause is over.",
  },
  "no-capacity": {
    happened: "No Work was created: the service has no room now.",
    toDo: "Create the Work again in a while.",
  },
}

/** Plain words for a createWork that did not succeed, by its code, else by its failure; undefined where the general words fit. */
function createWords(error: DeskError): ErrorWords | undefined {
  if (error.kind !== "problem") return undefined
  return Object.hasOwn(byCode, error.code) ? byCode[error.code] : error.failure && byFailure[error.failure]
}

const fieldWords: Readonly<Record<FieldName, string>> = {
  colleague: "The colleague",
  objective: "The objective",
  title: "The title",
  due: "The due date",
  timeLimit: "The time limit",
}

/**
 * Why the Work cannot be created now, in sentences; undefined where it can. A missing value is said at its field when the person tries.
 *
 * @param isReading true while a chosen file is still being read
 */
export function whyNotCreated(
  problems: readonly DraftProblem[],
  inputs: readonly Input[],
  isReading: boolean,
): string | undefined {
  const wrong = problems.filter(({ missing }) => !missing)
  const sentences = wrong.map(({ field, sentence }) => `${fieldWords[field]}: ${sentence}`)
  const namesWhere = (applies: (input: Input) => boolean) => inputs.filter(applies).map(({ draft }) => draft.name)
  const [stuck, pending] = [namesWhere(isStuck), namesWhere(isPending)]
  if (isReading) sentences.push("Not yet: a file is still being read.")
  if (pending.length > 0)
    sentences.push(`Not yet: ${pending.join(", ")} ${pending.length === 1 ? "is" : "are"} still being sent or scanned.`)
  if (stuck.length > 0)
    sentences.push(
      `Not ready: ${stuck.join(", ")}. Make each file ready or remove it. A file is never left out silently.`,
    )
  return sentences.length === 0 ? undefined : sentences.join(" ")
}
