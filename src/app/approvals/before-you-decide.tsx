import { type ReactNode, useId } from "react"
import type { DecisionContext, LookAlike, PastDecision } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"
import { deskNow } from "../client/clock.ts"
import { inboxAddress, workAddress } from "../inbox/addresses.ts"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { formatDay, momentOf } from "../ui/time-words.ts"
import styles from "./before-you-decide.module.css"
import type { ContextState } from "./decision-context.ts"

const LastLetter = part("The last letter", async () => (await import("./last-letter.tsx")).LastLetter, {
  loading: () => <Skeleton width="60%" />,
})

/** What is unusual about an approval, in sentences, the most unusual first. The text says how much the desk knows, and never "safe". */
export function BeforeYouDecide({
  known,
  item,
  children,
}: {
  known: ContextState
  item: Approval
  /** Sentences that stand before the others, as list items. */
  children?: ReactNode
}) {
  const nameId = useId()
  return (
    <section aria-labelledby={nameId} className={styles["before"]}>
      <p id={nameId} className={styles["name"]}>
        Before you decide
      </p>
      <ul>{children}</ul>
      {known.kind === "read" ? (
        <Sentences context={known.context} item={item} />
      ) : known.kind === "reading" ? (
        <Skeleton width="70%" />
      ) : (
        <p className="small soft">
          {known.kind === "failed"
            ? "What this desk knows about the destination could not be read."
            : "What this desk knows about the destination has not arrived within 10 seconds."}{" "}
          You can approve without it.
        </p>
      )}
    </section>
  )
}

function Sentences({ context, item }: { context: DecisionContext; item: Approval }) {
  const { destination, look_alikes: lookAlikes, first_of_colleague: isFirstOfColleague, may } = context
  const { last_approved: last } = destination
  return (
    <ul>
      {lookAlikes.map((lookAlike) => (
        <li key={lookAlike.destination} className={styles["warn"]}>
          <strong>
            Looks like <Address>{lookAlike.destination}</Address>
          </strong>
          , {sayDecided(lookAlike)}: {reasonOf(lookAlike)}.
        </li>
      ))}
      {destination.first && (
        <li>
          First letter to <Address>{item.destination}</Address>, among {known(context)}.
        </li>
      )}
      {isFirstOfColleague && (
        <li>
          The first approval that <Address>{item.requested_by_colleague}</Address> asks for.
        </li>
      )}
      {context.same_elsewhere.map(({ work_id: workId, work_title: title, approval_id: approvalId }) => (
        <li key={approvalId}>
          The same letter also waits in{" "}
          <Link to={inboxAddress("/approvals", workId, approvalId)}>
            “<OutsideText empty="Untitled">{title}</OutsideText>”
          </Link>
          .
        </li>
      ))}
      {last !== undefined && (
        <li>
          <LastLetter id={[last.work_id, last.approval_id]} item={item} />
        </li>
      )}
      {destination.history.length > 0 && (
        <li>
          <History destination={destination} />
        </li>
      )}
      {may?.approve === true && may.creator_unknown && (
        <li>This desk does not know who created this Work, so it cannot tell whether it was you.</li>
      )}
    </ul>
  )
}

function Address({ children }: { children: string }) {
  return (
    <span className="mono">
      <OutsideText>{children}</OutsideText>
    </span>
  )
}

function sayDecided({ approved, declined }: LookAlike): string {
  if (approved > 0) return `approved ${times(approved)}`
  return declined > 0 ? `declined ${times(declined)} and never approved` : "which was never approved"
}

function reasonOf({ reason }: LookAlike): ReactNode {
  switch (reason.kind) {
    case "characters":
      return (
        <>
          the “<OutsideText>{reason.character}</OutsideText>” is {reason.script}
        </>
      )
    case "distance":
      return reason.edits === 1 ? "one character differs" : `${String(reason.edits)} characters differ`
    case "domain":
      return (
        <>
          <Address>{reason.domain}</Address> is only a part of this domain
        </>
      )
  }
}

function known({ known: { approvals, since, complete } }: DecisionContext): string {
  const moment = since === null ? undefined : momentOf(since)
  const from = moment === undefined ? "" : ` since ${formatDay(moment, deskNow())}`
  return `${String(approvals)} ${approvals === 1 ? "approval" : "approvals"} that this desk has read${complete ? "" : " so far"}${from}`
}

function History({ destination }: Pick<DecisionContext, "destination">) {
  const { approved, declined, last_approved: last, history } = destination
  const parts = [
    ...(approved > 0 ? [`approved ${times(approved)}`] : []),
    ...(declined > 0 ? [`declined ${times(declined)}`] : []),
  ].join(", ")
  return (
    <details>
      <summary>
        {parts === "" ? "Asked for before" : parts.charAt(0).toUpperCase() + parts.slice(1)} to this destination.
        {last !== undefined && (last.person !== undefined || last.at !== undefined) && (
          <>
            {" "}
            Last approved
            {last.person !== undefined && (
              <>
                {" by "}
                <OutsideText>{last.person}</OutsideText>
              </>
            )}
            {on(last)}.
          </>
        )}
      </summary>
      <ul>
        {history.map((past) => (
          <li key={past.approval_id}>
            <Link to={`${workAddress(past.work_id)}#approvals`}>
              <OutsideText>{past.status}</OutsideText>
              {past.person !== undefined && (
                <>
                  {" by "}
                  <OutsideText>{past.person}</OutsideText>
                </>
              )}
              {on(past)}
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}

function on({ at }: PastDecision): string {
  const moment = at === undefined ? undefined : momentOf(at)
  return moment === undefined ? "" : ` on ${formatDay(moment, deskNow())}`
}

function times(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${String(count)} times`
}
