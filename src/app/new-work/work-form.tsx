import { useRef, useState } from "react"
import { literal } from "valibot"
import { countCharacters, OBJECTIVE_MAX_CHARACTERS } from "../../contract/limits.ts"
import { useKept } from "../client/draft.ts"
import { useMissingRole } from "../client/missing-role.ts"
import { useSession } from "../client/session.ts"
import { defineKind, useEntry } from "../client/storage.ts"
import { DraftNote } from "../inbox/draft-note.tsx"
import { Button } from "../ui/button.tsx"
import { CharacterCount } from "../ui/character-count.tsx"
import { useIsWaiting } from "../ui/countdown.tsx"
import { Field } from "../ui/field.tsx"
import { Kbd } from "../ui/kbd.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { modKey, useShortcuts } from "../ui/shortcuts.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { ColleagueField } from "./colleague-field.tsx"
import { CreateOutcome } from "./create-outcome.tsx"
import { colleagueIdOf, type FieldName, problemsOf, requestOf } from "./create-request.ts"
import { DueField } from "./due-field.tsx"
import styles from "./new-work.module.css"
import { PriorityField, VisibilityField } from "./scope-fields.tsx"
import { TimeLimitField } from "./time-limit-field.tsx"
import { UploadList } from "./upload-list.tsx"
import { useCreateWhenReady, useWhenReady } from "./use-create-when-ready.ts"
import { useCreateWork } from "./use-create-work.ts"
import { type Input, isPending, useInputs } from "./use-inputs.ts"
import { useUsedColleagues } from "./used-colleagues.ts"
import { changeWorkDraft, useWorkDraft, type WorkDraft, workDraft } from "./work-draft.ts"

/** Set where the person does not want createWork to be sent again by itself after a `Retry-After`. */
const resendingOff = defineKind<readonly [], true>({
  name: "create-resumes-not",
  version: 1,
  schema: literal(true),
  forgetAfterMs: 365 * 24 * 60 * 60_000,
  maxCharacters: 500,
  mayGo: false,
})

/** The form of new Work. It edits the one draft of the person. */
export function WorkForm() {
  const draft = useWorkDraft()
  const isKept = useKept(workDraft()) === "stored"
  const session = useSession()
  const missingRole = useMissingRole("createWork")
  const used = useUsedColleagues()
  const form = useRef<HTMLFormElement>(null)
  useKeptFocus(form, () => form.current?.querySelector<HTMLElement>("button[type=submit]"))
  const [hasTried, setHasTried] = useState(false)
  const [filesBeingRead, setFilesBeingRead] = useState(0)
  const resendsAfterWait = useEntry(resendingOff()) !== true

  const offered = session?.colleagues ?? []
  const colleague = draft.colleague ?? used[0] ?? ""
  const colleagueOf = (text: string) => colleagueIdOf(text, offered)
  const colleagueId = colleagueOf(colleague)
  const problems = problemsOf(draft, colleagueId)
  const wrong = problems.filter(({ missing }) => !missing)
  const request = requestOf(draft, colleagueId)

  const when = useCreateWhenReady(draft.id)
  const inputs = useInputs(draft.inputs, when.waiting)
  const work = useCreateWork(draft, request, colleagueOf, resendsAfterWait)
  const { intent } = work
  const sending = intent?.state === "sending" || intent?.state === "recorded"
  const allRead = filesBeingRead === 0
  useWhenReady(when, { inputs, allRead, canCreate: problems.length === 0 && !sending, create: work.create })

  // The uploads of a request without an answer may be attached to a Work already. Only the same request can use them.
  const sentUploads = (intent?.state === "unknown" && intent.input.input_upload_ids) || []
  const isPausing = useIsWaiting(intent?.state === "waiting" && work.unchanged ? intent.error.retryAt : undefined)
  const notReady = inputs.filter((input) => input.state !== "ready" && !isPending(input))
  const isSentAsItIs = intent?.state === "unknown" && work.unchanged
  const why = missingRole ?? reasons(wrong.map(sentenceWithField), isSentAsItIs ? [] : notReady)
  const isBlocked = sending || when.waiting || isPausing || why !== undefined

  const submit = () => {
    if (isBlocked) return
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
  const isColleagueRefused =
    intent?.state === "refused" &&
    intent.error.failure === "not-visible" &&
    intent.input.colleague_id === colleagueId &&
    notReady.length === 0

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
        value={colleague}
        id={colleagueId}
        offered={offered}
        used={used}
        readOnly={sending}
        error={errorOf("colleague") ?? (isColleagueRefused ? "Not there, or not visible to this account." : undefined)}
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
        sentUploads={sentUploads}
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
      <CreateOutcome
        work={work}
        isKept={isKept}
        resendsAfterWait={resendsAfterWait}
        onResendsAfterWait={(on) => (on ? resendingOff().remove() : void resendingOff().write(true))}
      />
      <div className={styles["act"]}>
        <Button kind="primary" type="submit" inactive={isBlocked} aria-describedby="create-why">
          Create Work
        </Button>
        <span className={styles["key"]} aria-hidden="true">
          <Kbd>{modKey}</Kbd> <Kbd>Enter</Kbd>
        </span>
        {when.waiting && <Button onClick={when.cancel}>Do not wait</Button>}
        <output className="small soft">
          <span id="create-why">
            <OutsideText>{when.waiting ? waitingFor(inputs.filter(isPending)) : (why ?? "")}</OutsideText>
          </span>
        </output>
        {draft.id !== "" && <DraftNote draft={workDraft()} />}
      </div>
    </form>
  )
}

const fieldWords: Readonly<Record<FieldName, string>> = {
  colleague: "The colleague",
  objective: "The objective",
  title: "The title",
  due: "The due date",
  timeLimit: "The time limit",
}

function sentenceWithField({ field, sentence }: { field: FieldName; sentence: string }): string {
  return `${fieldWords[field]}: ${sentence}`
}

/** Why the Work cannot be created now; undefined where it can. */
function reasons(wrong: readonly string[], notReady: readonly Input[]): string | undefined {
  const files = notReady.map(({ draft }) => draft.name).join(", ")
  const all = [
    ...wrong,
    ...(notReady.length > 0
      ? [`Not ready: ${files}. Make each file ready or remove it. A file is never left out silently.`]
      : []),
  ]
  return all.length === 0 ? undefined : all.join(" ")
}

function waitingFor(pending: readonly Input[]): string {
  return `The Work is created as soon as the scan is over: ${pending.map(({ draft }) => draft.name).join(", ")}`
}
