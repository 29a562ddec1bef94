import { useRef, useState } from "react"
import { REPORT_DAYS_MAX, REPORTED_OPERATIONS, type ReportFormat } from "../../contract/desk-work.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { useSession } from "../client/session.ts"
import { Button } from "../ui/button.tsx"
import { Dialog, DialogActions } from "../ui/dialog.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { Select, TextField } from "../ui/field.tsx"
import fieldStyles from "../ui/field.module.css"
import { OutsideText } from "../ui/outside-text.tsx"
import { saveFile } from "../ui/save-file.ts"
import { readReport, type RecordQuery, type ReportQuery, useKnownColleagues } from "./record-queries.ts"
import styles from "./record.module.css"

const DAY_MS = 86_400_000
/** How many days the dialog offers at first, with today as the last one. */
const FIRST_DAYS = 30

const FORMATS: readonly (readonly [format: ReportFormat, words: string])[] = [
  ["csv", "Table (CSV)"],
  ["html", "Page to print (HTML)"],
]

type Props = {
  query: RecordQuery
  /** The active filters of the page, in words. */
  filters: readonly { readonly name: string; readonly value: string }[]
  onClose: () => void
}

/** Asks for the days of a report about what the page shows, and saves the report. An error stays in the dialog. */
export function ReportDialog({ query, filters, onClose }: Props) {
  const [from, setFrom] = useState(() => dayBefore(FIRST_DAYS - 1))
  const [to, setTo] = useState(() => dayBefore(0))
  const [format, setFormat] = useState<ReportFormat>("csv")
  const [colleague, setColleague] = useState<string>()
  const stop = useRef(new AbortController())
  const problem = periodProblem(from, to)
  const isReported = query.operation === undefined || REPORTED_OPERATIONS.some((one) => one === query.operation)
  const save = useDeskMutation((report: ReportQuery) => saveReport(query, report, stop.current.signal), {
    onDone: (isSaved) => isSaved && onClose(),
  })
  const close = () => {
    stop.current.abort()
    onClose()
  }
  const canSave = problem === undefined && isReported && from !== "" && to !== ""
  return (
    <Dialog title="Report" onCancel={close}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (canSave) save.mutate({ from, to, format, colleague })
        }}
      >
        <div className={fieldStyles["fields"]}>
          <div className={styles["reportDays"]}>
            <TextField label="From" type="date" data-autofocus="" required value={from} onText={setFrom} />
            <TextField label="To" type="date" required value={to} onText={setTo} />
          </div>
          <p className="small soft">
            {problem === undefined ? (
              `Whole days in UTC, at most ${REPORT_DAYS_MAX}`
            ) : (
              <span className="over">{problem}</span>
            )}
          </p>
          <Select
            label="Format"
            value={format}
            choices={FORMATS}
            onChoose={(chosen) => chosen !== undefined && setFormat(chosen)}
          />
          <ColleagueChoice colleague={colleague} onChoose={setColleague} />
          <Filters filters={filters} />
          {!isReported && (
            <p role="alert" className="small over">
              A report doesn't list these entries. Choose another operation on the page.
            </p>
          )}
        </div>
        <ErrorAlert error={save.error} kept="Nothing was saved." compact />
        <output className="small soft">{save.isPending && "Writing the report…"}</output>
        <DialogActions>
          <Button type="submit" kind="primary" disabled={!canSave} inactive={save.isPending}>
            Save report
          </Button>
          <Button onClick={close}>Cancel</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function ColleagueChoice({
  colleague,
  onChoose,
}: {
  colleague: string | undefined
  onChoose: (id: string | undefined) => void
}) {
  const offered = useSession()?.colleagues ?? []
  const ids = new Set([...offered.map(({ id }) => id), ...useKnownColleagues()])
  return (
    <Select
      label="Colleague"
      none="All colleagues"
      value={colleague}
      choices={[...ids].map((id) => [id, offered.find((each) => each.id === id)?.label ?? id])}
      onChoose={onChoose}
    />
  )
}

/** Says which filters of the page the report has. */
function Filters({ filters }: Pick<Props, "filters">) {
  if (filters.length === 0) return <p className="small soft">The page has no filters, so the report has everything.</p>
  return (
    <section aria-label="Filters of the page" className={styles["reportFilters"]}>
      <p className="small soft">The report has these filters of the page:</p>
      <Facts>
        {filters.map(({ name, value }) => (
          <Fact key={name} name={name}>
            <OutsideText>{value}</OutsideText>
          </Fact>
        ))}
      </Facts>
    </section>
  )
}

/** Reads and saves a report. Returns false when `signal` aborts. @throws DeskError */
async function saveReport(query: RecordQuery, report: ReportQuery, signal: AbortSignal): Promise<boolean> {
  try {
    const content = await readReport(query, report, signal)
    if (signal.aborted) return false
    saveFile(content, `workdesk-report-${report.from}-${report.to}.${report.format}`)
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}

/** The day in UTC so many days before today. */
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, "2026-01-31".length)

/** What is wrong with the days, as a sentence. Undefined if nothing is, or while a day is missing. */
function periodProblem(from: string, to: string): string | undefined {
  if (from > to && to !== "") return "The first day must not be after the last one."
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return days > REPORT_DAYS_MAX ? `The period is longer than ${REPORT_DAYS_MAX} days.` : undefined
}
