import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { useLocation, useNavigate, useSearchParams } from "react-router"
import type { Work } from "../../contract/resources.ts"
import { retryInterval } from "../client/polling.ts"
import { workOptions } from "../client/work-reads.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { CreatedCallout } from "./create-work.tsx"
import styles from "./new-work.module.css"
import { type ReadInput, readText } from "./read-input-file.ts"
import sampleOrders from "./sample-orders.csv?raw"
import { addInputs, removeInput } from "./uploads.ts"
import { changeWorkDraft, isBlank, readWorkDraft, useWorkDraft, type WorkDraft } from "./work-draft.ts"
import { WorkForm } from "./work-form.tsx"

/** `/work/new`: delegates Work. `?from=` fills the form from an existing Work, `?sample` from the sample. */
export default function NewWorkPage() {
  return (
    <>
      <PageBar title="New Work" />
      <div className={styles["page"]}>
        <CreatedCallout />
        <StartFrom />
        <WorkForm />
      </div>
    </>
  )
}

type Prefilled = {
  readonly fields: Partial<WorkDraft>
  /** Takes the place of the draft's files. */
  readonly file?: ReadInput
  /** The title of the Work that the fields are from. */
  readonly fromTitle?: string
}

const SAMPLE: Prefilled = {
  fields: {
    colleague: "analyst",
    title: "Twelve days of café orders",
    objective: "Profile the café's orders, find what looks wrong, and send the summary to owner@cafe.example",
  },
  file: readText("cafe-orders.csv", sampleOrders),
}

/** Fills the form as the address says: `?from=` names a Work, `?sample` asks for the sample. */
function StartFrom() {
  const { state } = useLocation()
  const [parameters] = useSearchParams()
  const id = parameters.get("from") ?? ""
  const title = titleIn(state)
  if (parameters.has("sample")) return <Fill form={SAMPLE} />
  if (id !== "") return <FillFromWork id={id} />
  if (title === undefined) return null
  return (
    <Callout announce="status" icon="copy" compact>
      <span>
        Filled from “<OutsideText>{title}</OutsideText>”, with its colleague, priority and visibility. Its files and its
        time limit are not filled in, because the service does not return them.
      </span>
    </Callout>
  )
}

function FillFromWork({ id }: { id: string }) {
  const { data: work, error } = useQuery({ ...workOptions(id), refetchInterval: retryInterval })
  if (error !== null) return <ErrorAlert error={error} kept="The form is as you left it." retryAt={error.retryAt} />
  if (work !== undefined) return <Fill form={{ fields: fieldsOf(work), fromTitle: work.title }} />
  return (
    <Callout announce="status" icon="clock" compact>
      Reading the Work to start from…
    </Callout>
  )
}

/**
 * Fills the form: at once while the draft is blank, else after a click. A blank draft may have a colleague, a priority and a visibility: they are
 * replaced without a question. After that, `?from=` or `?sample` is gone from the address.
 */
function Fill({ form: { fields, file, fromTitle } }: { form: Prefilled }) {
  const navigate = useNavigate()
  const fillsByItself = isBlank(useWorkDraft())
  const fill = () => {
    if (file !== undefined) for (const input of readWorkDraft().inputs) removeInput(input)
    changeWorkDraft(() => fields)
    if (file !== undefined) addInputs([file])
    void navigate("/work/new", { replace: true, state: { filledFrom: fromTitle } })
  }
  // After each render, because another tab may empty the draft later. It may also have typed since this render, so the draft is read again.
  useEffect(() => {
    if (fillsByItself && isBlank(readWorkDraft())) fill()
  })
  if (fillsByItself) return null
  return (
    <Callout tone="warn" icon="warning">
      <span>
        There is a draft here already.{" "}
        {fromTitle === undefined ? (
          "Replace it with the sample?"
        ) : (
          <>
            Replace it with “<OutsideText>{fromTitle}</OutsideText>”? The files and the time limit of the draft stay.
          </>
        )}
      </span>
      <CalloutLine>
        <Button onClick={fill}>Replace the draft</Button>
        <Button kind="plain" onClick={() => void navigate("/work/new", { replace: true })}>
          Keep the draft
        </Button>
      </CalloutLine>
    </Callout>
  )
}

function titleIn(state: unknown): string | undefined {
  if (typeof state !== "object" || state === null || !("filledFrom" in state)) return undefined
  return typeof state.filledFrom === "string" ? state.filledFrom : undefined
}

const fieldsOf = (work: Work): Partial<WorkDraft> => ({
  colleague: work.colleague_id,
  objective: work.objective,
  title: work.title,
  priority: work.priority,
  visibility: work.visibility_scope,
  due: dueOf(work.due_at),
})

/** A due time in the form of a `datetime-local` control; empty where there is none, or where it is past. */
function dueOf(dueAt: string | undefined): string {
  const moment = new Date(dueAt ?? "")
  if (Number.isNaN(moment.getTime()) || moment.getTime() < Date.now()) return ""
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
