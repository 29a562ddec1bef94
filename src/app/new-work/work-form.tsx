import { useRef, useState } from "react"
import { countCharacters, OBJECTIVE_MAX_CHARACTERS } from "../../contract/limits.ts"
import { useSession } from "../client/session.ts"
import { literal } from "valibot"
import { defineKind, useEntry } from "../client/storage.ts"
import { Button } from "../ui/button.tsx"
import { CharacterCount } from "../ui/character-count.tsx"
import { Field } from "../ui/field.tsx"
import { Kbd, modKey } from "../ui/kbd.tsx"
import { useNow } from "../ui/now.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { ColleagueField } from "./colleague-field.tsx"
import { CreateOutcome } from "./create-outcome.tsx"
import { colleagueIdOf, faultsOf, type FieldName, requestOf } from "./create-request.ts"
import { DueField } from "./due-field.tsx"
import styles from "./new-work.module.css"
import { PriorityField, VisibilityField } from "./scope-fields.tsx"
import { TimeLimitField } from "./time-limit-field.tsx"
import { UploadRail } from "./upload-rail.tsx"
import { useCreateWhenReady, useWhenReady } from "./use-create-when-ready.ts"
import { useCreateWork } from "./use-create-work.ts"
import { type Input, isPending, useInputs } from "./use-inputs.ts"
import { useUsedColleagues } from "./used-colleagues.ts"
import { changeWorkDraft, useWorkDraft, type WorkDraft } from "./work-draft.ts"

/** Set where the person does not want createWork to be sent again by itself after a `Retry-After`. */
const resumesNot = defineKind<readonly [], true>({
  name: "create-resumes-not",
  version: 1,
  schema: literal(true),
  forgetAfterMs: 365 * 24 * 60 * 60_000,
  maxCharacters: 500,
  mayGo: false,
})

/** The form of new Work over the browser's one draft of it. */
export function WorkForm() {
  const draft = useWorkDraft()
  const session = useSession()
  const used = useUsedColleagues()
  const form = useRef<HTMLFormElement>(null)
  const [tried, setTried] = useState(false)
  const [reading, setReading] = useState(0)
  const resumes = useEntry(resumesNot()) !== true

  const offered = session?.colleagues ?? []
  const colleague = draft.colleague ?? used[0] ?? ""
  const colleagueId = colleagueIdOf(colleague, offered)
  const faults = faultsOf(draft, colleagueId)
  const wrong = faults.filter(({ missing }) => !missing)
  const request = requestOf(draft, colleagueId)

  const when = useCreateWhenReady(draft.id)
  const inputs = useInputs(draft.inputs, when.waiting)
  const work = useCreateWork(draft, request, resumes)
  const sending = work.intent?.state === "sending" || work.intent?.state === "recorded"
  const allRead = reading === 0
  useWhenReady(when, { inputs, allRead, able: faults.length === 0 && !sending, create: work.create })

  const pauseUntil = work.intent?.state === "waiting" && work.unchanged ? work.intent.error.retryAt : undefined
  const pausing = useNow(1000) < (pauseUntil ?? 0)
  const stuck = inputs.filter((input) => input.standing !== "ready" && !isPending(input))
  const why = reasons(wrong.map(sentenceWithField), stuck)
  const disabled = sending || when.waiting || pausing || why !== undefined

  const kept = draft.id === "" ? "" : "Draft kept"

  const submit = () => {
    if (disabled) return
    const [first] = faults
    if (first !== undefined) {
      setTried(true)
      form.current?.querySelector<HTMLElement>(`[name="${first.field}"]`)?.focus()
    } else if (!allRead || inputs.some(isPending)) when.wait()
    else work.create()
  }
  useShortcuts({ "mod+Enter": submit })

  const change = (changed: Partial<WorkDraft>) => void changeWorkDraft(() => changed)
  const errorOf = (field: FieldName) =>
    faults.find((fault) => fault.field === field && (tried || !fault.missing))?.sentence
  const refusedColleague =
    work.intent?.state === "refused" &&
    work.intent.error.isNotVisible &&
    work.intent.input.colleague_id === colleagueId &&
    stuck.length === 0

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
        error={errorOf("colleague") ?? (refusedColleague ? "Not there, or not visible to this account." : undefined)}
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
      <UploadRail inputs={inputs} locked={sending} onReading={(change) => setReading((count) => count + change)} />
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
        resumes={resumes}
        onResumes={(on) => (on ? resumesNot().remove() : void resumesNot().write(true))}
      />
      <div className={styles["act"]}>
        <Button kind="primary" type="submit" disabled={disabled} aria-describedby="create-why">
          Create Work
        </Button>
        <span className={styles["key"]} aria-hidden="true">
          <Kbd>{modKey}</Kbd> <Kbd>Enter</Kbd>
        </span>
        {when.waiting && <Button onClick={when.cancel}>Do not wait</Button>}
        <output className="small soft">
          <span id="create-why">
            <OutsideText>{when.waiting ? waitingFor(inputs.filter(isPending)) : (why ?? kept)}</OutsideText>
          </span>
        </output>
      </div>
    </form>
  )
}

const fieldWords: Readonly<Record<FieldName, string>> = {
  colleague: "The colleague",
  objective: "The objective",
  title: "The title",
  due: "The due moment",
  timeLimit: "The limit of its time",
}

function sentenceWithField({ field, sentence }: { field: FieldName; sentence: string }): string {
  return `${fieldWords[field]}: ${sentence}`
}

function reasons(wrong: readonly string[], stuck: readonly Input[]): string | undefined {
  const files = stuck.map(({ draft }) => draft.name).join(", ")
  const all = [
    ...wrong,
    ...(stuck.length > 0 ? [`Not ready: ${files}. See to it, or remove it; no file is left out silently.`] : []),
  ]
  return all.length === 0 ? undefined : all.join(" ")
}

function waitingFor(pending: readonly Input[]): string {
  return `The Work is created as soon as the scan is over: ${pending.map(({ draft }) => draft.name).join(", ")}`
}
