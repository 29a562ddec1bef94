import { type FormEvent, useRef, useState } from "react"
import { OBJECTIVE_MAX_CHARACTERS } from "../../contract/limits.ts"
import { useMissingRole } from "../client/person.ts"
import { useWhyFrozen } from "../client/freeze-state.ts"
import { retryAtOf } from "../client/stored-intent.ts"
import { DraftNote } from "../inbox/decision-callout.tsx"
import { Button } from "../ui/button.tsx"
import { useIsWaiting } from "../ui/clocks.tsx"
import { TextArea, TextField } from "../ui/field.tsx"
import { modKey, useShortcuts } from "../ui/shortcuts.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { ColleagueField, PlainFields, useColleague } from "./form-fields.tsx"
import {
  changeWorkDraft,
  type FieldName,
  headingOf,
  problemsOf,
  requestOf,
  useWorkDraft,
  type WorkDraft,
  workDraft,
} from "./work-draft.ts"
import { CreateOutcome, whyNotCreated } from "./create-outcome.tsx"
import { useCreateWork } from "./create-work.ts"
import { isStuck } from "./input-states.ts"
import { useInputs } from "./input-uploads.ts"
import styles from "./new-work.module.css"
import { UploadList } from "./upload-list.tsx"

/** The form of new Work. It edits the one draft of the person. */
export function WorkForm() {
  const draft = useWorkDraft()
  const [filesBeingRead, setFilesBeingRead] = useState(0)
  const formState = useWorkForm(draft, filesBeingRead > 0)
  const { colleague, inputs, problems, isSending } = formState
  const form = useRef<HTMLFormElement>(null)
  useKeptFocus(form, () => form.current?.querySelector<HTMLElement>("button[type=submit]"))
  const [hasTried, setHasTried] = useState(false)
  // A title that the person has emptied stays empty.
  const hasTitle = useRef(false)

  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (formState.isBlocked) return
    if (problems[0] === undefined) return formState.work.create()
    setHasTried(true)
    const named = `[name="${problems[0].field}"]`
    // The field for another colleague's id has the same name as the radio buttons.
    const text = form.current?.querySelector<HTMLElement>(`${named}:not([type=radio])`)
    ;(text ?? form.current?.querySelector<HTMLElement>(named))?.focus()
  }
  useShortcuts({ "mod+Enter": () => submit() })

  const change = (changed: Partial<WorkDraft>) => void changeWorkDraft(() => changed)
  const errorOf = (field: FieldName) =>
    problems.find((problem) => problem.field === field && (hasTried || !problem.missing))?.sentence

  return (
    <form ref={form} noValidate className={styles["form"]} onSubmit={submit}>
      <ColleagueField
        colleague={colleague}
        readOnly={isSending}
        error={errorOf("colleague") ?? (isColleagueRefused(formState) ? NOT_THERE : undefined)}
        onChange={(colleague) => change({ colleague })}
      />
      <TextArea
        label="Objective"
        hint="What should be true when it is done?"
        error={errorOf("objective")}
        limit={OBJECTIVE_MAX_CHARACTERS}
        className={styles["objective"]}
        name="objective"
        required
        readOnly={isSending}
        value={draft.objective}
        onText={(objective) => change({ objective })}
        onBlur={() => {
          const heading = headingOf(draft.objective)
          if (heading !== undefined && draft.title === "" && !hasTitle.current) change({ title: heading })
        }}
      />
      <TextField
        label="Title"
        aside="optional"
        name="title"
        error={errorOf("title")}
        readOnly={isSending}
        value={draft.title}
        onText={(title) => {
          hasTitle.current = true
          change({ title })
        }}
      />
      <UploadList
        inputs={inputs}
        isSending={isSending}
        sentUploads={formState.sentUploads}
        onReading={(change) => setFilesBeingRead((count) => count + change)}
      />
      <div className={styles["pairs"]}>
        <PlainFields draft={draft} errorOf={errorOf} locked={isSending} onChange={change} />
      </div>
      <CreateOutcome work={formState.work} whyNotAgain={formState.whyNotAgain} />
      <div className={styles["act"]}>
        <Button
          kind="primary"
          type="submit"
          title={`Create Work (${modKey} Enter)`}
          inactive={formState.isBlocked}
          aria-describedby="create-why"
        >
          Create Work
        </Button>
        <output className="small soft">
          <span id="create-why">
            <OutsideText>{formState.why ?? ""}</OutsideText>
          </span>
        </output>
        {draft.id !== "" && <DraftNote draft={workDraft()} />}
      </div>
    </form>
  )
}

const NOT_THERE = "This colleague doesn't exist, or this account can't see it."

/** Whether the service has refused the colleague whom the form names. A missing file, or a Work to link to, is refused in the same way. */
const isColleagueRefused = ({ work: { intent }, colleague, inputs }: ReturnType<typeof useWorkForm>): boolean =>
  intent?.state === "refused" &&
  intent.error.failure === "not-visible" &&
  intent.input.insteadOf === undefined &&
  intent.input.colleague_id === colleague.id &&
  !inputs.some(isStuck)

/**
 * Whether the Work of the draft can be created now, and how. It cannot before all inputs are ready, and nothing is sent later by itself.
 *
 * @param isReading true while a chosen file is still being read
 */
function useWorkForm(draft: WorkDraft, isReading: boolean) {
  const colleague = useColleague(draft)
  const inputs = useInputs(draft.inputs)
  const problems = problemsOf(draft, colleague.id)
  const work = useCreateWork(draft, requestOf(draft, colleague.id), colleague.idOf)
  const { intent, unchanged } = work
  const isSending = intent?.state === "sending" || intent?.state === "confirmed"
  const missingRole = useMissingRole("createWork")
  const whyFrozen = useWhyFrozen(colleague.id)
  const whyNotAgain = useWhyFrozen(intent?.input.colleague_id)
  const isPausing = useIsWaiting(unchanged ? retryAtOf(intent) : undefined)

  // The uploads of a request without an answer may be attached to a Work already, and only the same request can use them.
  const isOutcomeUnknown = intent?.state === "unknown"
  const why =
    missingRole ?? whyFrozen ?? whyNotCreated(problems, isOutcomeUnknown && unchanged ? [] : inputs, isReading)

  return {
    colleague,
    inputs,
    problems,
    work,
    isSending,
    sentUploads: (isOutcomeUnknown && intent.input.input_upload_ids) || [],
    why,
    whyNotAgain,
    isBlocked: isSending || isPausing || why !== undefined,
  }
}
