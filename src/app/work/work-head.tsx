import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { VisibilityReason } from "../../contract/desk-work.ts"
import type { Work } from "../../contract/resources.ts"
import { useSession } from "../client/session.ts"
import { reasonOptions } from "../client/work-reads.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { Icon } from "../ui/icon.tsx"
import { MixedScripts } from "../ui/mixed-scripts.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { safeFileName, saveFile } from "../ui/save-file.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { WorkStatusMark } from "../ui/status.tsx"
import { priorityWord, wordOf } from "./list-order.ts"
import { WorkDue } from "./work-due.tsx"
import { type ExportedEvent, readWorkExport, writeWorkExport } from "./work-export.ts"
import styles from "./work-page.module.css"

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
      <Button kind="plain" size="small" disabled={isWriting} onClick={exportWork}>
        <Icon name="download" size={14} />
        Export Markdown
      </Button>
      <Button kind="plain" size="small" onClick={() => print()}>
        Print
      </Button>
    </div>
  )
}

/** The heading of the page. The element stays the same while the Work loads, because it has the focus after a navigation. */
export function WorkTitle({ title, failure }: { title: string | undefined; failure: string | undefined }) {
  return (
    <>
      <h1 tabIndex={-1}>
        {title === undefined ? (failure ?? <LoadingTitle />) : <OutsideText empty="Untitled">{title}</OutsideText>}
      </h1>
      {title !== undefined && <MixedScripts text={title} />}
    </>
  )
}

function LoadingTitle() {
  return (
    <>
      <span className="visually-hidden">Loading the Work</span>
      <Skeleton width="min(520px, 90%)" />
    </>
  )
}

const visibilityWords: Readonly<Record<string, string>> = {
  private: "Private",
  team: "Team",
  organization: "Organization",
}

/** The status, the colleague, the dates and the version of a Work, in a line. */
export function WorkMeta({ work }: { work: Work }) {
  return (
    <div className={styles["meta"]}>
      <WorkStatusMark status={work.status} />
      <OutsideText>{work.colleague_id}</OutsideText>
      <span>
        <OutsideText>{priorityWord(work.priority)}</OutsideText> priority
      </span>
      <span>
        <OutsideText>{wordOf(work.visibility_scope, visibilityWords)}</OutsideText>
        <SeenAs workId={work.id} />
      </span>
      {work.due_at !== undefined && <WorkDue at={work.due_at} done={work.status === "done"} />}
      <span>
        Created <RelativeTime at={work.created_at} />
      </span>
      {work.updated_at !== work.created_at && (
        <span>
          Updated <RelativeTime at={work.updated_at} />
        </span>
      )}
      <span className="mono" title="Version">
        v{String(work.version)}
      </span>
    </div>
  )
}

const reasonWords: Readonly<Partial<Record<VisibilityReason, string>>> = {
  approver: "You see this as an approver",
  overseer: "You see this as an overseer",
}

/** Says where the person sees a Work of others only because of what they may do. */
function SeenAs({ workId }: { workId: string }) {
  const isSignedIn = useSession()?.mode === "sign-in"
  const reason = useQuery({ ...reasonOptions(workId), enabled: isSignedIn }).data?.reason
  const words = reason && reasonWords[reason]
  return words !== undefined && <>. {words}</>
}
