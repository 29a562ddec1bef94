import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect } from "react"
import { useLocation, useNavigate } from "react-router"
import type { Work } from "../../contract/resources.ts"
import { retryInterval } from "../client/polling.ts"
import { workOptions } from "../client/work-reads.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { useSearchParams } from "../ui/router.tsx"
import { readText } from "./read-input-file.ts"
import sampleOrders from "./sample-orders.csv?raw"
import { addInputs, removeInput } from "./uploads.ts"
import { changeWorkDraft, isBlank, readWorkDraft, useWorkDraft, type WorkDraft } from "./work-draft.ts"

/** Fills the form as the address says: `?from=` names a Work, `?sample` asks for the sample. */
export function StartFrom() {
  const { state } = useLocation()
  const [parameters] = useSearchParams()
  const from = parameters.get("from") ?? ""
  const title = titleIn(state)
  if (parameters.has("sample")) return <FillFromSample />
  if (from !== "") return <FillFromWork id={from} />
  if (title === undefined) return null
  return (
    <Notice announce="status" icon="copy" compact>
      <span>
        Filled from “<OutsideText>{title}</OutsideText>”. The service does not return the files and the time limit of a
        Work: add them again if the new Work needs them.
      </span>
    </Notice>
  )
}

function FillFromWork({ id }: { id: string }) {
  const { data: work, error } = useQuery({ ...workOptions(id), refetchInterval: retryInterval })
  if (error !== null) return <ErrorAlert error={error} kept="The form is as you left it." retryAt={error.retryAt} />
  if (work === undefined)
    return (
      <Notice announce="status" icon="clock" compact>
        Reading the Work to start from…
      </Notice>
    )
  const fill = () => void changeWorkDraft(() => fieldsOf(work))
  return (
    <Fill fill={fill} filledFrom={work.title}>
      Replace its words with those of “<OutsideText>{work.title}</OutsideText>”?
    </Fill>
  )
}

const SAMPLE = {
  colleague: "analyst",
  title: "Twelve days of café orders",
  objective: "Profile the café's orders, find what looks wrong, and send the summary to owner@cafe.example",
}

function FillFromSample() {
  const client = useQueryClient()
  const fill = () => {
    for (const input of readWorkDraft().inputs) removeInput(input)
    changeWorkDraft(() => SAMPLE)
    addInputs([readText("cafe-orders.csv", sampleOrders)], client)
  }
  return <Fill fill={fill}>Replace it with the sample?</Fill>
}

type FillProps = {
  fill: () => void
  /** The title of the Work that the form is filled from. */
  filledFrom?: string
  /** The question where there is a draft. */
  children: ReactNode
}

/** Fills the form: at once while the form is empty, else after a click. Then the address is that of the form alone. */
function Fill({ fill, filledFrom, children }: FillProps) {
  const navigate = useNavigate()
  const fillsByItself = isBlank(useWorkDraft())
  const leave = () => void navigate("/work/new", { replace: true })
  const act = () => {
    fill()
    void navigate("/work/new", { replace: true, state: { filledFrom } })
  }
  useEffect(() => {
    if (fillsByItself && isBlank(readWorkDraft())) act()
  })
  if (fillsByItself) return null
  return (
    <Notice tone="warn" icon="warning">
      <span>There is a draft here already. {children}</span>
      <NoticeLine>
        <Button onClick={act}>Replace the draft</Button>
        <Button kind="plain" onClick={leave}>
          Keep the draft
        </Button>
      </NoticeLine>
    </Notice>
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

/** A due time in the form of a `datetime-local` control; empty where the time is over. */
function dueOf(dueAt: string | undefined): string {
  const moment = new Date(dueAt ?? "")
  if (Number.isNaN(moment.getTime()) || moment.getTime() < Date.now()) return ""
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
