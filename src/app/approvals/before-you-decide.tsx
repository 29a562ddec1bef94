import { type ReactNode, useId, useState } from "react"
import { Link } from "react-router"
import { classes } from "../ui/classes.ts"
import styles from "./before-you-decide.module.css"
import { type ContextState, LATE_MS } from "./decision-context.ts"
import { Address, formatTimes, LooksLike } from "./look-alike.tsx"
import { deskNow } from "../client/clock.ts"
import { inboxAddress, workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { Icon, type IconName } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { countOf } from "../../contract/plural.ts"
import { useIsCut } from "../ui/use-is-cut.ts"
import { Skeleton } from "../ui/page-parts.tsx"
import { formatLongDay, momentOf } from "../ui/time-words.ts"
import type { DecisionContext, PastDecision } from "../../contract/desk-work.ts"
import type { Approval } from "../../contract/resources.ts"

const LastLetter = part("The last letter", async () => (await import("./last-letter.tsx")).LastLetter, {
  loading: () => <Skeleton width="60%" />,
})

const DeclinedLetter = part("The declined letter", async () => (await import("./declined-letter.tsx")).DeclinedLetter)

/** One line above the letter. */
export type DecisionFact = { readonly key: string; readonly icon: IconName; readonly text: ReactNode }

type Props = {
  known: ContextState
  item: Approval
  /** What comes before the facts about the destination: the deadline, the approvals given, the note. */
  first: readonly DecisionFact[]
  /** What is never folded, and has to be seen. */
  unfolded: readonly DecisionFact[]
}

export const UNCHECKED = {
  failed: "The desk couldn't check this destination's history and look-alikes.",
  late: `Checking this destination's history and look-alikes is taking longer than ${LATE_MS / 1_000} s.`,
}

/** At most this many facts are above the letter. `Show all` shows the others. */
const LINES_MAX = 4

/**
 * What is unusual about an approval. A look-alike is never folded and has to be seen, as is `unfolded`; of the other facts the first are shown, each on
 * one line. The text reports how much the desk knows, and never that something is safe.
 */
export function BeforeYouDecide({ known, item, first, unfolded }: Props) {
  const [isComparing, setIsComparing] = useState(false)
  const declined = known.context?.declined_before
  const facts = [...first, ...(known.kind === "read" ? contextFacts(known.context, item) : [])]
  if (declined) {
    const comparison = declinedFact(() => setIsComparing(true))
    // Always among the lines that are not folded.
    facts.splice(Math.min(first.length, LINES_MAX - 1), 0, comparison)
  }
  const lookAlikes = known.context?.look_alikes ?? []
  const hasUnfolded = lookAlikes.length + unfolded.length > 0
  if (known.kind === "read" && facts.length === 0 && !hasUnfolded) return null
  return (
    <section aria-label="Before you decide" className={styles["before"]}>
      {hasUnfolded && (
        <ul>
          {lookAlikes.map((lookAlike) => (
            <li key={lookAlike.destination} data-read="" className={classes(styles["fact"], styles["warn"])}>
              <Icon name="warning" />
              <LooksLike {...lookAlike} />
            </li>
          ))}
          {unfolded.map(({ key, icon, text }) => (
            <li key={key} data-read="" className={styles["fact"]}>
              <Icon name={icon} />
              <div>{text}</div>
            </li>
          ))}
        </ul>
      )}
      {facts.length > 0 && <FactLines facts={facts} />}
      {known.kind === "reading" && <Skeleton width="70%" />}
      {(known.kind === "failed" || known.kind === "late") && (
        <p className="small soft">{UNCHECKED[known.kind]} You can still approve.</p>
      )}
      {isComparing && declined && (
        <DeclinedLetter
          item={item}
          declined={[declined.work_id, declined.approval_id]}
          onClose={() => setIsComparing(false)}
        />
      )}
    </section>
  )
}

function FactLines({ facts }: { facts: readonly DecisionFact[] }) {
  const [isWhole, setIsWhole] = useState(false)
  const [isCut, frame] = useIsCut("li > div, a")
  const listId = useId()
  const shown = isWhole ? facts : facts.slice(0, LINES_MAX)
  return (
    <div className={styles["facts"]}>
      <ul id={listId} ref={frame}>
        {shown.map(({ key, icon, text }) => (
          <li key={key} className={styles["fact"]}>
            <Icon name={icon} />
            <div className={isWhole ? undefined : styles["cut"]}>{text}</div>
          </li>
        ))}
      </ul>
      {(isWhole || isCut || facts.length > LINES_MAX) && (
        <Button
          kind="plain"
          size="small"
          className={styles["all"]}
          aria-expanded={isWhole}
          aria-controls={listId}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? "Show less" : facts.length > 1 ? `Show all ${String(facts.length)}` : "Show all"}
        </Button>
      )}
    </div>
  )
}

/** What is unusual about the destination and the colleague. */
export function contextFacts({ destination, ...context }: DecisionContext, item: Approval): readonly DecisionFact[] {
  const { first_of_colleague: isFirstOfColleague, same_elsewhere: sameElsewhere, may } = context
  const { last_approved: last } = destination
  const facts: DecisionFact[] = []
  if (destination.first) {
    const text = (
      <>
        First letter to <Address>{item.destination}</Address>
        {formatKnown(context)}
      </>
    )
    facts.push({ key: "first", icon: "address", text })
  }
  if (isFirstOfColleague) {
    const text = (
      <>
        First request from <Address>{item.requested_by_colleague}</Address>
      </>
    )
    facts.push({ key: "asker", icon: "hand", text })
  }
  for (const { work_id: workId, work_title: title, approval_id: approvalId } of sameElsewhere) {
    const text = (
      <span className={styles["same"]}>
        The same letter is also pending in{" "}
        <Link to={inboxAddress("/approvals", workId, approvalId)}>
          “<OutsideText empty="Untitled">{title}</OutsideText>”
        </Link>
      </span>
    )
    facts.push({ key: `same ${workId} ${approvalId}`, icon: "copy", text })
  }
  if (last !== undefined) {
    const text = <LastLetter id={[last.work_id, last.approval_id]} item={item} />
    facts.push({ key: "last", icon: "compare", text })
  }
  if (destination.history.length > 0)
    facts.push({ key: "history", icon: "record", text: <History destination={destination} /> })
  if (may?.approve === true && may.creator_unknown) {
    const text = "This desk doesn't know who created this Work, so it can't tell whether you did."
    facts.push({ key: "creator", icon: "unknown", text })
  }
  return facts
}

/** A letter that follows a declined one can be compared with it. */
const declinedFact = (onCompare: () => void): DecisionFact => ({
  key: "declined",
  icon: "compare",
  text: (
    <Button kind="plain" size="small" className={styles["compare"]} onClick={onCompare}>
      Compare with the declined letter
    </Button>
  ),
})

/** How many approvals the desk has read, so that a person knows what "first" means: ", among 212 approvals read since November 20". */
function formatKnown({ known: { approvals, since, complete } }: Pick<DecisionContext, "known">): string {
  if (approvals === 0) return complete ? "" : ", as far as this desk has read"
  return `, among ${countOf(approvals, "approval")} read${complete ? "" : " so far"}${formatSince(" since ", since ?? undefined)}`
}

/** The text `before` and the day of `at` (ISO 8601); empty if `at` is not a moment. */
function formatSince(before: string, at = ""): string {
  const moment = momentOf(at)
  return moment === undefined ? "" : before + formatLongDay(moment, deskNow())
}

/** The past decisions about letters to this destination, and their numbers. */
function History({ destination }: Pick<DecisionContext, "destination">) {
  const { approved, declined, last_approved: last, history } = destination
  const parts = [
    approved > 0 && `approved ${formatTimes(approved)}`,
    declined > 0 && `declined ${formatTimes(declined)}`,
  ]
  return (
    <details>
      <summary>
        Letters to this destination: {parts.filter(Boolean).join(", ")}.
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
