import { useQuery } from "@tanstack/react-query"
import { useEffect } from "react"
import { useLocation, useNavigate } from "react-router"
import { useSearchParams } from "../ui/router.tsx"
import type { Work } from "../../contract/resources.ts"
import { retryInterval } from "../client/polling.ts"
import { workOptions } from "../client/reads.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice, NoticeLine } from "../ui/notice.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { changeWorkDraft, isBlank, readWorkDraft, useWorkDraft } from "./work-draft.ts"

/** Fills the form from the Work that the address names: at once while the form is empty, else after a click. */
export function StartFrom() {
  const [parameters] = useSearchParams()
  const navigate = useNavigate()
  const from = parameters.get("from") ?? ""
  const location = useLocation()
  const filledFrom = titleIn(location.state)
  const draft = useWorkDraft()
  const { data: work, error } = useQuery({ ...workOptions(from), enabled: from !== "", refetchInterval: retryInterval })

  const leave = () => void navigate("/work/new", { replace: true })
  const fill = (work: Work) => {
    void navigate("/work/new", { replace: true, state: { filledFrom: work.title } })
    fillFrom(work)
  }
  const fillsByItself = work !== undefined && from !== "" && isBlank(draft)
  useEffect(() => {
    if (fillsByItself && isBlank(readWorkDraft())) fill(work)
  })

  if (filledFrom !== undefined)
    return (
      <Notice announce="status" icon="copy" compact>
        <span>
          Filled from “<OutsideText>{filledFrom}</OutsideText>”. The service does not return the files and the time
          limit of a Work: add them again if the new Work needs them.
        </span>
      </Notice>
    )
  if (from === "" || fillsByItself) return null
  if (error !== null) return <ErrorAlert error={error} kept="The form is as you left it." retryAt={error.retryAt} />
  if (work === undefined)
    return (
      <Notice announce="status" icon="clock" compact>
        Reading the Work to start from…
      </Notice>
    )
  return (
    <Notice tone="warn" icon="warning">
      <span>
        There is a draft here already. Replace its words with those of “<OutsideText>{work.title}</OutsideText>”?
      </span>
      <NoticeLine>
        <Button onClick={() => fill(work)}>Replace the draft</Button>
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

function fillFrom(work: Work): void {
  changeWorkDraft(() => ({
    colleague: work.colleague_id,
    objective: work.objective,
    title: work.title,
    priority: work.priority,
    visibility: work.visibility_scope,
    due: dueOf(work.due_at),
  }))
}

/** A due time in the form of a `datetime-local` control; empty where the time is over. */
function dueOf(dueAt: string | undefined): string {
  const moment = new Date(dueAt ?? "")
  if (Number.isNaN(moment.getTime()) || moment.getTime() < Date.now()) return ""
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}
