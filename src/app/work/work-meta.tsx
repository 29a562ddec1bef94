import { useQuery } from "@tanstack/react-query"
import type { VisibilityReason } from "../../contract/desk-work.ts"
import type { Work } from "../../contract/resources.ts"
import { reasonOptions } from "../client/work-reads.ts"
import { useSession } from "../client/session.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { WorkStatusMark } from "../ui/status.tsx"
import { WorkDue } from "./work-due.tsx"
import styles from "./work-page.module.css"
import { priorityWord } from "./list-order.ts"

const visibilityWords: Readonly<Record<string, string>> = {
  private: "Private",
  team: "Team",
  organization: "Organization",
}

/** An unknown visibility is returned as it is. */
function visibilityWord(scope: string): string {
  return (Object.hasOwn(visibilityWords, scope) ? visibilityWords[scope] : undefined) ?? scope
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
        <OutsideText>{visibilityWord(work.visibility_scope)}</OutsideText>
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
