import type { ReactNode } from "react"
import type { Approval } from "../../contract/resources.ts"
import { AfterDecision } from "../inbox/after-decision.tsx"
import { Card } from "../ui/card.tsx"
import { Fact, Facts } from "../ui/facts.tsx"
import { KeptText } from "../inbox/kept-text.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { Status } from "../ui/status.tsx"
import { ApprovalLetter } from "./approval-letter.tsx"
import styles from "./approvals.module.css"

/** The outcome as an icon with a word; a status that this app does not know is shown as it was sent. */
function ApprovalOutcome({ status, replayed = false }: { status: string; replayed?: boolean }) {
  const aside = replayed ? ", already recorded" : ""
  if (status === "approved")
    return (
      <Status tone="good" icon="done">
        Approved{aside}
      </Status>
    )
  if (status === "declined")
    return (
      <Status tone="bad" icon="close">
        Declined{aside}
      </Status>
    )
  return (
    <Status icon="unknown">
      <OutsideText>{status}</OutsideText>
      {aside}
    </Status>
  )
}

type RecordProps = {
  /** As the service returned it. */
  approval: Approval
  replayed?: boolean
  level?: 2 | 3
  /** Whether to say what the Work did next. */
  follow?: boolean
  lastEventAt?: number | undefined
}

/** A recorded decision, read-only: who, when, which version, why, the letter, and what the Work did next. */
export function ApprovalRecord({ approval, replayed = false, level = 2, follow = false, lastEventAt }: RecordProps) {
  return (
    <Card
      level={level}
      title={<OutsideText>{approval.summary}</OutsideText>}
      aside={<ApprovalOutcome status={approval.status} replayed={replayed} />}
    >
      <Resolution approval={approval}>
        {follow && (
          <AfterDecision
            workId={approval.work_id}
            since={approval.resolved_at}
            what="decision"
            lastEventAt={lastEventAt}
          />
        )}
      </Resolution>
      <details className={styles["details"]}>
        <summary>The letter</summary>
        <ApprovalLetter approval={approval} />
      </details>
    </Card>
  )
}

function Resolution({ approval, children }: { approval: Approval; children?: ReactNode }) {
  const { resolution_actor: actor, resolved_at: at, resolution_comment: comment, version } = approval
  return (
    <Facts>
      <Fact name="Decided">
        {actor !== undefined && (
          <>
            by <OutsideText>{actor}</OutsideText>
            {at !== undefined && ", "}
          </>
        )}
        {at !== undefined && <RelativeTime at={at} />}
        {actor === undefined && at === undefined && "Not said by whom or when"}
      </Fact>
      {comment !== undefined && (
        <Fact name="Comment">
          <OutsideText multiline>{comment}</OutsideText>
        </Fact>
      )}
      <Fact name="Version">{String(version)}</Fact>
      {children}
    </Facts>
  )
}

type TombstoneProps = {
  /** What is known of it; undefined where nothing is. */
  approval: Approval | undefined
  /** The comment that the person had typed. */
  typed: string
  level: 2 | 3
  /** What the service said to a decision that was sent. */
  children?: ReactNode
}

/** An approval that was resolved elsewhere: what is known, read-only. */
export function ApprovalTombstone({ approval, typed, level, children }: TombstoneProps) {
  const decided = approval !== undefined && approval.status !== "pending"
  return (
    <Card
      level={level}
      title={approval === undefined ? "A request that no longer waits" : <OutsideText>{approval.summary}</OutsideText>}
      aside={decided ? <ApprovalOutcome status={approval.status} /> : <Status icon="done">No longer waits</Status>}
    >
      {children}
      <p className={styles["gone"]}>
        {decided
          ? "This was decided elsewhere. Nothing more can be decided here."
          : "This no longer waits: it was decided or taken back elsewhere. Nothing can be decided here."}
      </p>
      {decided && <Resolution approval={approval} />}
      {approval !== undefined && <ApprovalLetter approval={approval} />}
      {approval !== undefined && !decided && <p className="soft small">version {String(approval.version)}</p>}
      <KeptText what="comment" text={typed} />
    </Card>
  )
}
