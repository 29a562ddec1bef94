import { useQuery } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { useLocation, useNavigate, useSearchParams } from "react-router"
import { INPUTS_MAX } from "../../contract/limits.ts"
import { retryInterval } from "../client/polling.ts"
import { isObject } from "../client/value-schema.ts"
import { Button } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar } from "../ui/page-parts.tsx"
import { pluralForm } from "../../contract/plural.ts"
import { useKeptFocus } from "../ui/use-kept-focus.ts"
import { CreatedCallout } from "./create-outcome.tsx"
import { type FormQuery, fromDeclined, fromWork, type Prefilled } from "./fill-from.ts"
import styles from "./new-work.module.css"
import { readText } from "./read-input-file.ts"
import sampleOrders from "./sample-orders.csv?raw"
import { addInputs, removeInput } from "./input-uploads.ts"
import { changeWorkDraft, isBlank, readWorkDraft, useWorkDraft, type WorkDraft } from "./work-draft.ts"
import { WorkForm } from "./work-form.tsx"

/**
 * `/work/new`: delegates Work. `?from=` fills the form from an existing Work, `?again=&approval=` from a declined Work and the change that was asked
 * for, `?sample` from the sample.
 */
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

const SAMPLE: Prefilled = {
  fields: {
    colleague: "analyst",
    title: "Twelve days of café orders",
    objective: "Profile the café's orders, find what looks wrong, and send the summary to owner@cafe.example",
  },
  file: readText("cafe-orders.csv", sampleOrders),
}

/** What stands above the form. When what has the focus goes from there, the objective has it. */
function StartFrom() {
  const frame = useRef<HTMLDivElement>(null)
  const start = useStart()
  useKeptFocus(frame, () => document.querySelector<HTMLElement>("[name=objective]"))
  return (
    <div ref={frame} className={styles["start"]}>
      {start}
    </div>
  )
}

/** Fills the form as the address says, and says what it was filled from. */
function useStart() {
  const { state } = useLocation()
  const [parameters] = useSearchParams()
  const draft = useWorkDraft()
  const id = parameters.get("from") ?? ""
  const again = parameters.get("again") ?? ""
  const from = fillingIn(state)
  if (parameters.has("sample")) return <Fill form={SAMPLE} />
  if (id !== "") return <FillFrom form={fromWork(id)} />
  if (again !== "") return <FillFrom form={fromDeclined(again, parameters.get("approval") ?? "")} />
  if (draft.again !== undefined) return <AgainCallout again={draft.again} />
  if (from === undefined) return null
  return (
    <Callout announce="status" icon="copy" compact>
      <span>
        Filled in from “<OutsideText>{from.title}</OutsideText>”, with its colleague, priority and visibility. Its files
        and time limit are missing, because the service doesn't return them.
        <UnknownValues values={from.unknown} />
      </span>
    </Callout>
  )
}

function FillFrom({ form: options }: { form: FormQuery }) {
  const { data: form, error } = useQuery({ ...options, refetchInterval: retryInterval })
  if (error !== null) return <ErrorAlert error={error} kept="The form is unchanged." retryAt={error.retryAt} />
  if (form !== undefined) return <Fill form={form} />
  return (
    <Callout announce="status" icon="clock" compact>
      Loading the original Work…
    </Callout>
  )
}

/**
 * Fills the form: at once while the draft is blank, else after a click. A blank draft may have a colleague, a priority and a visibility: they are
 * replaced without a question. After that, the query is gone from the address.
 */
function Fill({ form: { fields, inputs: usable = [], file, fromTitle, unknown } }: { form: Prefilled }) {
  const navigate = useNavigate()
  const fillsByItself = isBlank(useWorkDraft())
  const fill = () => {
    if (file !== undefined) for (const input of readWorkDraft().inputs) removeInput(input)
    changeWorkDraft(({ inputs }) => {
      const all = [...inputs, ...usable]
      const noRoomFor = all.slice(INPUTS_MAX).map(({ name }) => name)
      const again = fields.again && { ...fields.again, noRoomFor }
      return { ...fields, again, inputs: all.slice(0, INPUTS_MAX) }
    })
    if (file !== undefined) addInputs([file])
    void navigate("/work/new", { replace: true, state: { filledFrom: fromTitle, unknown } })
  }
  // After each render, because another tab may empty the draft later. It may also have typed since this render, so the draft is read again.
  useEffect(() => {
    if (fillsByItself && isBlank(readWorkDraft())) fill()
  })
  if (fillsByItself) return null
  return (
    <Callout tone="warn" icon="warning">
      <span>
        You already have a draft.{" "}
        {fromTitle === undefined ? (
          "Replace it with the sample?"
        ) : (
          <>
            Replace it with “<OutsideText>{fromTitle}</OutsideText>”? The draft's files and time limit stay.
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

/** The Work that the form was filled from, according to the history entry. */
function fillingIn(state: unknown) {
  if (!isObject(state) || typeof state["filledFrom"] !== "string") return undefined
  const values: readonly unknown[] = Array.isArray(state["unknown"]) ? state["unknown"] : []
  return { title: state["filledFrom"], unknown: values.filter((value) => typeof value === "string") }
}

/** Names the values of the other Work that the form doesn't offer. */
function UnknownValues({ values }: { values: readonly string[] }) {
  if (values.length === 0) return null
  return (
    <>
      {" "}
      Not filled in: <OutsideText>{values.join(", ")}</OutsideText>. Choose {pluralForm(values.length, "it", "them")}{" "}
      yourself.
    </>
  )
}

/** Says which Work the new one takes the place of, and which of its files cannot be used again. */
function AgainCallout({ again }: { again: NonNullable<WorkDraft["again"]> }) {
  const { title, lostFiles, noRoomFor = [], unknown = [] } = again
  return (
    <Callout announce="status" icon="copy" compact>
      <span>
        Replaces “<OutsideText>{title}</OutsideText>”, with the requested change added to the objective. The two will
        link to each other. {formatLost(lostFiles)}
        {noRoomFor.length > 0 && (
          <>
            {" "}
            Work can have at most {INPUTS_MAX} files. Not attached: <OutsideText>{noRoomFor.join(", ")}</OutsideText>.
          </>
        )}
        <UnknownValues values={unknown} />
      </span>
      <CalloutLine>
        <Button size="small" onClick={() => changeWorkDraft(() => ({ again: undefined }))}>
          Remove the link
        </Button>
      </CalloutLine>
    </Callout>
  )
}

function formatLost(files: readonly string[] | undefined) {
  if (files === undefined) return "The desk doesn't know which files the replaced Work had. Choose them again."
  if (files.length === 0) return null
  const it = pluralForm(files.length, "it", "them")
  return (
    <>
      {pluralForm(files.length, "This file", "These files")} can't be reused:{" "}
      <OutsideText>{files.join(", ")}</OutsideText>. Choose {it} again if the new Work needs {it}.
    </>
  )
}
