/** Messages below the form of new Work: why it can't be sent, and the result once it was sent. */
import { Link } from "react-router"
import type { DeskError, Failure } from "../client/desk-error.ts"
import { useEntry, useKept } from "../client/storage.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { type ErrorWords, isDesksOwn, wordsFor } from "../ui/error-words.tsx"
import { IntentCallout } from "../ui/intent-callout.tsx"
import { lookUp } from "../ui/look-up.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { pluralForm } from "../../contract/plural.ts"
import { type CreationNotice, creationNotices, type useCreateWork } from "./create-work.ts"
import { type Input, isPending, isStuck } from "./input-states.ts"
import styles from "./new-work.module.css"
import { type DraftProblem, type FieldName, workDraft } from "./work-draft.ts"

type OutcomeProps = {
  work: ReturnType<typeof useCreateWork>
  /** Why the Work cannot be sent again for now. */
  whyNotAgain?: string | undefined
}

/** The state of the request to create the Work: under way, refused or unknown. */
export function CreateOutcome({ work: { intent, unchanged, sendAgain }, whyNotAgain }: OutcomeProps) {
  const isKept = useKept(workDraft()) === "stored"
  const error = intent !== undefined && "error" in intent ? intent.error : undefined
  const words = error && createWords(error, intent?.input.insteadOf !== undefined)
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
      whyNotAgain={whyNotAgain}
      againNote={
        !unchanged && (
          <span className="small">This sends the Work without your changes. They stay here as a new draft.</span>
        )
      }
    />
  )
}

const byCode: Readonly<Record<string, ErrorWords>> = {
  IDEMPOTENCY_CONFLICT: {
    happened: "This request's key has already been used for another request.",
    toDo: "Create the Work again.",
  },
  INPUT_NOT_READY: {
    happened: "No Work was created: a file is still being scanned.",
    toDo: "Wait for the scan to finish, then create the Work again.",
  },
  INPUT_SCAN_FAILED: {
    happened: "No Work was created: a file didn't pass its scan.",
    toDo: "Scan it again or remove it, then create the Work again.",
  },
}

const byFailure: Readonly<Partial<Record<Failure, ErrorWords>>> = {
  invalid: {
    happened: "No Work was created: the service rejected an entry.",
    toDo: "Change it, then create the Work again.",
  },
  "not-visible": {
    happened: "No Work was created: the colleague or a file doesn't exist, or this account can't see it.",
    toDo: "Choose another colleague, then create the Work again.",
  },
  conflict: {
    happened: "No Work was created: a file has already been used or has expired.",
    toDo: "Send the file again or remove it, then create the Work again.",
  },
  blocked: {
    happened: "No Work was created: your organization's data policy blocks the objective or a file.",
    toDo: "Change the blocked text or file, then create the Work again.",
  },
  "too-many": {
    happened: "No Work was created: too many requests in a short time.",
    toDo: "Wait a moment, then create the Work again.",
  },
  "no-capacity": {
    happened: "No Work was created: the service is at capacity.",
    toDo: "Wait a while, then create the Work again.",
  },
}

const linkRefused: ErrorWords = {
  happened: "No Work was created, because you can't see one of these: the colleague, a file or the replaced Work.",
  toDo: "Remove the link or the file, or choose another colleague. Then create the Work again.",
}

/** Plain words for a createWork that did not succeed, by its code, else by its failure; undefined where the general words fit. */
function createWords(error: DeskError, hasLink: boolean): ErrorWords | undefined {
  if (error.kind !== "problem") return undefined
  if (hasLink && error.failure === "not-visible") return linkRefused
  if (isDesksOwn(error)) {
    const { happened, toDo } = wordsFor(error)
    return { happened: `No Work was created. ${happened}`, toDo }
  }
  return lookUp(byCode, error.code) ?? (error.failure && byFailure[error.failure])
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
  if (isReading) sentences.push("A file is still being read.")
  if (pending.length > 0) sentences.push(`Still being sent or scanned: ${pending.join(", ")}.`)
  if (stuck.length > 0)
    sentences.push(`Not ready: ${stuck.join(", ")}. Fix or remove ${pluralForm(stuck.length, "it", "them")} first.`)
  return sentences.length === 0 ? undefined : sentences.join(" ")
}

/** Says on the form that a Work was created meanwhile. */
export function CreatedCallout() {
  const created = useEntry(creationNotices())
  const dismiss = () => creationNotices().remove()
  if (created === undefined) return null
  return (
    <Callout announce="status" tone="good" icon="done">
      <div>
        {createdWords(created)}{" "}
        <Link to={workAddress(created.workId)} className={styles["link"]} onClick={dismiss}>
          <OutsideText>{created.title}</OutsideText>
        </Link>
      </div>
      <CalloutLine>
        <Button size="small" onClick={dismiss}>
          Dismiss
        </Button>
      </CalloutLine>
    </Callout>
  )
}

function createdWords({ draftStays, replayed }: CreationNotice): string {
  if (draftStays) return "Your later changes are kept below as a new draft. This Work was created without them:"
  return replayed ? "This Work had already been created:" : "This Work was created after you left the page:"
}
