import { type ReactNode, useId } from "react"
import { Link } from "react-router"
import styles from "./before-you-decide.module.css"
import { type ContextState, LATE_MS } from "./decision-context.ts"
import { deskNow } from "../client/clock.ts"
import { inboxAddress, workAddress } from "../inbox/addresses.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { countOf, pluralForm } from "../ui/plural.ts"
import { Skeleton } from "../ui/page-parts.tsx"
import { formatLongDay, momentOf } from "../ui/time-words.ts"
import type { DecisionContext, LookAlike, PastDecision } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"

const LastLetter = part("The last letter", async () => (await import("./last-letter.tsx")).LastLetter, {
  loading: () => <Skeleton width="60%" />,
})

type Props = {
  known: ContextState
  item: Approval
  children?: ReactNode
}

const UNKNOWN = { failed: "could not be read", late: `has not arrived within ${LATE_MS / 1_000} seconds` }

/** What is unusual about an approval, the most unusual first. The text reports how much the desk knows, and never that something is safe. */
export function BeforeYouDecide({ known, item, children }: Props) {
  const nameId = useId()
  return (
    <section aria-labelledby={nameId} className={styles["before"]}>
      <p id={nameId} className={styles["name"]}>
        Before you decide
      </p>
      <ul>{children}</ul>
      {known.kind === "read" && <Sentences context={known.context} item={item} />}
      {known.kind === "reading" && <Skeleton width="70%" />}
      {(known.kind === "failed" || known.kind === "late") && (
        <p className="small soft">
          What the desk knows about the destination {UNKNOWN[known.kind]}. You can approve without it.
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
        <li key={lookAlike.destination} data-read="">
          <LooksLike {...lookAlike} />
        </li>
      ))}
      {destination.first && (
        <li>
          First letter to <Address>{item.destination}</Address>, among {formatKnown(context)}.
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
        <li>This desk doesn't know who created this Work, so it can't tell whether it was you.</li>
      )}
    </ul>
  )
}

/** "Looks like bank@bank.example, approved twice: the “а” is Cyrillic." */
export function LooksLike(lookAlike: LookAlike) {
  return (
    <span className={styles["warn"]}>
      <strong>
        Looks like <Address>{lookAlike.destination}</Address>
      </strong>
      , {formatDecided(lookAlike)}: {reasonOf(lookAlike)}.
    </span>
  )
}

function Address({ children }: { children: string }) {
  return (
    <span className="mono">
      <OutsideText>{children}</OutsideText>
    </span>
  )
}

function formatDecided({ approved, declined }: LookAlike): string {
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
      return pluralForm(reason.edits, "one character differs", `${reason.edits} characters differ`)
    case "domain":
      return (
        <>
          <Address>{reason.domain}</Address> is only a part of this domain
        </>
      )
  }
}

function formatKnown({ known: { approvals, since, complete } }: DecisionContext): string {
  const from = since === null ? "" : formatSince(" since ", since)
  return `${countOf(approvals, "approval")} that this desk has read${complete ? "" : " so far"}${from}`
}

/** The text `before` and the day of `at` (ISO 8601); empty if `at` is not a moment. */
function formatSince(before: string, at = ""): string {
  const moment = momentOf(at)
  return moment === undefined ? "" : before + formatLongDay(moment, deskNow())
}

/** The past decisions about letters to this destination, and their numbers. */
function History({ destination }: Pick<DecisionContext, "destination">) {
  const { approved, declined, last_approved: last, history } = destination
  const parts = [approved > 0 && `approved ${times(approved)}`, declined > 0 && `declined ${times(declined)}`]
  const decided = parts.filter(Boolean).join(", ")
  return (
    <details>
      <summary>
        {decided.charAt(0).toUpperCase() + decided.slice(1)} to this destination.
        {(last?.person !== undefined || last?.at !== undefined) && (
          <>
            {" "}
            Last approved
            <ByWhom {...last} />.
          </>
        )}
      </summary>
      <ul>
        {history.map((past) => (
          <li key={past.approval_id}>
            <Link to={`${workAddress(past.work_id)}#approvals`}>
              <OutsideText>{past.status}</OutsideText>
              <ByWhom {...past} />
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** " by Ada Lovelace on 12 November", as far as the desk knows who and when. */
function ByWhom({ person, at }: PastDecision) {
  return (
    <>
      {person !== undefined && (
        <>
          {" by "}
          <OutsideText>{person}</OutsideText>
        </>
      )}
      {formatSince(" on ", at)}
    </>
  )
}

function times(count: number): string {
  return ["never", "once", "twice"][count] ?? `${String(count)} times`
}
