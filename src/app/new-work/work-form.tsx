import { useRef, useState } from "react"
import { countCharacters, OBJECTIVE_MAX_CHARACTERS } from "../../contract/limits.ts"
import { useMissingRole } from "../client/missing-role.ts"
import { DraftNote } from "../inbox/kept-text.tsx"
import { Button } from "../ui/button.tsx"
import { CharacterCount } from "../ui/character-count.tsx"
import { useIsWaiting } from "../ui/countdown.tsx"
import { Field } from "../ui/field.tsx"
import { Kbd } from "../ui/kbd.tsx"
import { Notice } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { modKey, useShortcuts } from "../ui/shortcuts.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { ColleagueField, useColleague } from "./colleague-field.tsx"
import { CreateOutcome } from "./create-outcome.tsx"
import { type FieldName, problemsOf, requestOf } from "./create-request.ts"
import { whyNotCreated } from "./create-words.ts"
import { DueField } from "./due-field.tsx"
import styles from "./new-work.module.css"
import { PriorityField, VisibilityField } from "./scope-fields.tsx"
import { TimeLimitField } from "./time-limit-field.tsx"
import { UploadList } from "./upload-list.tsx"
import { useCreateWhenReady, useWaitOf } from "./use-create-when-ready.ts"
import { type CreateWork, useCreateWork } from "./use-create-work.ts"
import { isPending, isStuck, useInputs } from "./use-inputs.ts"
import { changeWorkDraft, useWorkDraft, type WorkDraft, workDraft } from "./work-draft.ts"

/** The form of new Work. It edits the one draft of the person. */
export function WorkForm() {
  const draft = useWorkDraft()
  const colleague = useColleague(draft)
  const problems = problemsOf(draft, colleague.id)
  const work = useCreateWork(draft, requestOf(draft, colleague.id), colleague.idOf)
  const sending = work.intent?.state === "sending" || work.intent?.state === "recorded"
  const isWaiting = useWaitOf(draft.id) === "waiting"
  const inputs = useInputs(draft.inputs, isWaiting)
  const [filesBeingRead, setFilesBeingRead] = useState(0)
  const allRead = filesBeingRead === 0
  const canCreate = problems.length === 0 && !sending
  const when = useCreateWhenReady({ draftId: draft.id, inputs, allRead, canCreate, create: work.create })

  const missingRole = useMissingRole("createWork")
  const isPausing = useIsWaiting(pauseOf(work))
  const why = missingRole ?? whyNotCreated(problems, isSentAsItIs(work) ? [] : inputs)
  const isBlocked = sending || isWaiting || isPausing || why !== undefined

  const form = useRef<HTMLFormElement>(null)
  useKeptFocus(form, () => form.current?.querySelector<HTMLElement>("button[type=submit]"))
  const [hasTried, setHasTried] = useState(false)
  const submit = () => {
    if (isBlocked) return
    when.forget()
    const [first] = problems
    if (first !== undefined) {
      setHasTried(true)
      form.current?.querySelector<HTMLElement>(`[name="${first.field}"]`)?.focus()
    } else if (!allRead || inputs.some(isPending)) when.wait()
    else work.create()
  }
  useShortcuts({ "mod+Enter": submit })

  const change = (changed: Partial<WorkDraft>) => void changeWorkDraft(() => changed)
  const errorOf = (field: FieldName) =>
    problems.find((problem) => problem.field === field && (hasTried || !problem.missing))?.sentence

  return (
    <form
      ref={form}
      noValidate
      className={styles["form"]}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <ColleagueField
        colleague={colleague}
        readOnly={sending}
        error={errorOf("colleague") ?? (isRefused(work, colleague.id) && !inputs.some(isStuck) ? NOT_THERE : undefined)}
        onChange={(colleague) => change({ colleague })}
      />
      <Field
        label="Objective"
        hint="What should be true when it is done?"
        error={errorOf("objective")}
        count={<CharacterCount count={countCharacters(draft.objective)} limit={OBJECTIVE_MAX_CHARACTERS} />}
      >
        {(control) => (
          <textarea
            {...control}
            className={`${control.className} ${styles["objective"] ?? ""}`}
            name="objective"
            required
            readOnly={sending}
            value={draft.objective}
            onChange={(event) => change({ objective: event.target.value })}
          />
        )}
      </Field>
      <Field label="Title" aside="optional" error={errorOf("title")}>
        {(control) => (
          <input
            {...control}
            name="title"
            autoComplete="off"
            readOnly={sending}
            value={draft.title}
            onChange={(event) => change({ title: event.target.value })}
          />
        )}
      </Field>
      <UploadList
        inputs={inputs}
        locked={sending || missingRole !== undefined}
        sentUploads={uploadsOfUnknown(work)}
        onReading={(change) => setFilesBeingRead((count) => count + change)}
      />
      <div className={styles["pairs"]}>
        <PriorityField value={draft.priority} locked={sending} onChange={(priority) => change({ priority })} />
        <VisibilityField value={draft.visibility} locked={sending} onChange={(visibility) => change({ visibility })} />
        <DueField value={draft.due} error={errorOf("due")} locked={sending} onChange={(due) => change({ due })} />
        <TimeLimitField
          value={draft.timeLimit}
          error={errorOf("timeLimit")}
          locked={sending}
          onChange={(timeLimit) => change({ timeLimit })}
        />
      </div>
      <CreateOutcome work={work} />
      {when.state === "ended" && (
        <Notice announce="status" tone="warn" icon="clock" compact>
          No Work was created, because you left this page before the scan was over, or it was closed for more than five
          minutes. Create the Work when you are ready.
        </Notice>
      )}
      <div className={styles["act"]}>
        <Button kind="primary" type="submit" inactive={isBlocked} aria-describedby="create-why">
          Create Work
        </Button>
        <span className={styles["key"]} aria-hidden="true">
          <Kbd>{modKey}</Kbd> <Kbd>Enter</Kbd>
        </span>
        {isWaiting && <Button onClick={when.forget}>Do not wait</Button>}
        <output className="small soft">
          <span id="create-why">
            {isWaiting ? (
              <>
                The Work is created as soon as the scan is over:{" "}
                <OutsideText>
                  {inputs
                    .filter(isPending)
                    .map(({ draft }) => draft.name)
                    .join(", ")}
                </OutsideText>
                . Leaving this page ends the wait.
              </>
            ) : (
              <OutsideText>{why ?? ""}</OutsideText>
            )}
          </span>
        </output>
        {draft.id !== "" && <DraftNote draft={workDraft()} />}
      </div>
    </form>
  )
}

const NOT_THERE = "Not there, or not visible to this account."

/** Whether the service has refused the colleague whom the form names, or a file: both are not there. */
const isRefused = ({ intent }: CreateWork, colleagueId: string): boolean =>
  intent?.state === "refused" && intent.error.failure === "not-visible" && intent.input.colleague_id === colleagueId

/** The end of the pause that the service asks for before the same request may be sent again. */
const pauseOf = ({ intent, unchanged }: CreateWork): number | undefined =>
  intent?.state === "waiting" && unchanged ? intent.error.retryAt : undefined

/** Whether a request without an answer can be sent again as the form shows it. Its uploads may be attached to a Work already. */
const isSentAsItIs = ({ intent, unchanged }: CreateWork): boolean => intent?.state === "unknown" && unchanged

/** The uploads of a request without an answer. They may be attached to a Work already, and only the same request can use them. */
const uploadsOfUnknown = ({ intent }: CreateWork): readonly string[] =>
  (intent?.state === "unknown" && intent.input.input_upload_ids) || []
