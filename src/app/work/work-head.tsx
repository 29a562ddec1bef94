import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useRef, useState } from "react"
import type { VisibilityReason, WorkReason } from "../../contract/desk-work.ts"
import { stringifyJson } from "../../contract/int64.ts"
import type { Work } from "../../contract/resources.ts"
import { deskQuery, writePath } from "../client/desk-request.ts"
import { LIST_PACE, pollInterval } from "../client/polling.ts"
import { answerWith } from "../client/value-schema.ts"
import { useSession } from "../client/session.ts"
import { workKey } from "../client/work-reads.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { Callout, CalloutLine } from "../ui/callout.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { Icon } from "../ui/icon.tsx"
import { lookUp } from "../ui/look-up.ts"
import { CopyButton, Identifier } from "../ui/copy-button.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/clocks.tsx"
import { safeFileName, saveFile } from "../ui/save-file.ts"
import { Skeleton } from "../ui/page-parts.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { useIsNarrow } from "../ui/use-is-phone.ts"
import { priorityWord, useWorkStatus, WorkStatusMark } from "../ui/status.tsx"
import { type ExportedEvent, readWorkExport, writeWorkExport } from "./work-export.ts"
import styles from "./work-page.module.css"
import { DelegatedBy } from "./delegated-by.tsx"
import { RelatedWork } from "./related-work.tsx"
import { WorkDue } from "./work-rows.tsx"

type ActionsProps = {
  work: Work
  /** The events received so far, read when the export is written. */
  events: () => readonly ExportedEvent[]
}

/** What can be done with a Work as a whole. */
export function WorkActions({ work, events }: ActionsProps) {
  const [isWriting, setIsWriting] = useState(false)
  const save = async () => {
    const parts = await readWorkExport(work.id)
    const text = writeWorkExport({ work, ...parts, events: events() })
    saveFile(new Blob([text], { type: "text/markdown" }), safeFileName(`work-${work.id}.md`))
  }
  const exportWork = () => {
    setIsWriting(true)
    void save().finally(() => setIsWriting(false))
  }
  return (
    <div className={styles["actions"]}>
      <ButtonLink to={`/work/new?${new URLSearchParams({ from: work.id })}`} kind="plain" size="small">
        Start from this
      </ButtonLink>
      <CopyButton label="Copy link" text={new URL(workAddress(work.id), location.href).href} />
      <More>
        <Button kind="plain" size="small" inactive={isWriting} onClick={exportWork}>
          <Icon name="download" size={14} />
          Export Markdown
        </Button>
        <Button kind="plain" size="small" onClick={() => print()}>
          Print
        </Button>
      </More>
    </div>
  )
}

/** In a narrow window, the actions that fewer people need are folded, so that all actions fit into one row. */
function More({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false)
  const summary = useRef<HTMLElement>(null)
  const close = () => {
    setIsOpen(false)
    summary.current?.focus()
  }
  useShortcuts({ Escape: close }, { active: isOpen })
  if (!useIsNarrow()) return children
  return (
    <details className={styles["more"]} open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary ref={summary} aria-label="More actions">
        More
      </summary>
      <div className={styles["folded"]}>{children}</div>
    </details>
  )
}

/** The heading of the page. The element stays the same while the Work loads, because it has the focus after a navigation. */
export function WorkTitle({ title, failure }: { title: string | undefined; failure: string | undefined }) {
  return (
    <>
      <h1 tabIndex={-1}>
        {title === undefined ? (
          (failure ?? (
            <>
              <span className="visually-hidden">Loading the Work</span>
              <Skeleton width="min(520px, 90%)" />
            </>
          ))
        ) : (
          <OutsideText empty="Untitled">{title}</OutsideText>
        )}
      </h1>
      {title !== undefined && <MixedScripts text={title} />}
    </>
  )
}

const visibilityWords = { private: "Private", team: "Team", organization: "Organization" } as const

/** The status, the colleague and the dates of a Work, in a line. */
export function WorkMeta({ work }: { work: Work }) {
  return (
    <div className={styles["meta"]}>
      <WorkStatusMark work={work} />
      <OutsideText>{work.colleague_id}</OutsideText>
      <DelegatedBy workId={work.id} />
      {work.priority !== "normal" && (
        <span>
          <OutsideText>{priorityWord(work.priority)}</OutsideText> priority
        </span>
      )}
      <span>
        <OutsideText>{lookUp(visibilityWords, work.visibility_scope) ?? work.visibility_scope}</OutsideText>
        <SeenAs workId={work.id} />
      </span>
      {work.due_at !== undefined && <WorkDue at={work.due_at} done={work.status === "done"} focusable />}
      <span>
        Created <RelativeTime at={work.created_at} />
      </span>
      {work.updated_at !== work.created_at && (
        <span>
          Updated <RelativeTime at={work.updated_at} />
        </span>
      )}
      <RelatedWork workId={work.id} />
    </div>
  )
}

const reasonWords: Readonly<Partial<Record<VisibilityReason, string>>> = {
  approver: "You see this as an approver",
  overseer: "You see this as an overseer",
}

/** Why the person sees a Work. A Work that they do not see is refused as an unknown Work is. */
const reasonOptions = (workId: string) =>
  deskQuery(
    [...workKey(workId), "reason"],
    writePath("/desk/work/{id}/reason", { id: workId }),
    answerWith<WorkReason>("reason"),
    { refetchInterval: pollInterval(LIST_PACE) },
  )

/** Says where the person sees a Work of others only because of what they may do. */
function SeenAs({ workId }: { workId: string }) {
  const isSignedIn = useSession()?.mode === "sign-in"
  const reason = useQuery({ ...reasonOptions(workId), enabled: isSignedIn }).data?.reason
  const words = reason && reasonWords[reason]
  return words !== undefined && <>. {words}</>
}

const MOMENTS = ["due_at", "created_at", "updated_at"]
const IDENTIFIERS = ["id", "colleague_id", "human_owner_id", "created_by", "current_attention_id"]

/** Every field of a Work with its exact value, under the API's own name. Fields that the contract does not know are shown too. */
export function WorkFacts({ work }: { work: Work }) {
  return (
    <details className={styles["facts"]}>
      <summary>All fields</summary>
      <Facts>
        {Object.entries(work).map(([name, value]) => (
          <Fact key={name} name={name}>
            <FieldValue name={name} value={value} />
          </Fact>
        ))}
      </Facts>
    </details>
  )
}

function FieldValue({ name, value }: { name: string; value: unknown }) {
  if (typeof value !== "string") return <span className="mono">{stringifyJson(value)}</span>
  if (IDENTIFIERS.includes(name)) return <Identifier value={value} copyable={name} />
  if (MOMENTS.includes(name))
    return (
      <>
        <span className="mono">
          <OutsideText>{value}</OutsideText>
        </span>{" "}
        <span className="small soft">
          <RelativeTime at={value} />
        </span>
      </>
    )
  return <OutsideText multiline>{value}</OutsideText>
}

/** Announces a new status of the open Work to screen readers, and shows a button where its title or objective has changed. */
export function WorkChange({ work, textChanged, onShow }: { work: Work; textChanged: boolean; onShow: () => void }) {
  const [status, setStatus] = useState(work.status)
  const [announcement, setAnnouncement] = useState("")
  const word = useWorkStatus(work)
  if (status !== work.status) {
    setStatus(work.status)
    setAnnouncement(`The status is now ${word}.`)
  }
  return (
    <>
      <div aria-live="polite" className="visually-hidden">
        {announcement}
        {textChanged && " The title or objective of this Work has changed."}
      </div>
      {textChanged && (
        <div className={styles["callout"]}>
          <Callout tone="warn" icon="refresh" compact>
            <CalloutLine>
              The title or objective changed while you were reading.
              <Button size="small" onClick={onShow}>
                Show the change
              </Button>
            </CalloutLine>
          </Callout>
        </div>
      )}
    </>
  )
}

/** Freezes the title and the objective of a Work while a person reads them. A change is shown when the person asks for it. */
export function useFrozenText(work: Work | undefined) {
  const [frozen, setFrozen] = useState(work)
  if (frozen === undefined && work !== undefined) setFrozen(work)
  const shown: Pick<Work, "title" | "objective"> | undefined = frozen ?? work
  return {
    shown,
    hasChanged: shown?.title !== work?.title || shown?.objective !== work?.objective,
    showChange: () => setFrozen(work),
  }
}
