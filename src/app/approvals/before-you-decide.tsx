import { type ReactNode, useId, useState } from "react"
import { Link } from "react-router"
import { classes } from "../ui/classes.ts"
import styles from "./before-you-decide.module.css"
import { type ContextState, LATE_MS } from "./decision-context.ts"
import { deskNow } from "../client/clock.ts"
import { inboxAddress, workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { Icon, type IconName } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { countOf, pluralForm } from "../../contract/plural.ts"
import { useIsCut } from "../ui/use-is-cut.ts"
import { Skeleton } from "../ui/page-parts.tsx"
import { formatLongDay, momentOf } from "../ui/time-words.ts"
import type { DecisionContext, LookAlike, PastDecision } from "../../contract/desk-work.ts"
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

const UNCHECKED = {
  failed: "The desk couldn't check this destination for look-alikes and history.",
  late: `The desk hasn't checked this destination for look-alikes and history within ${LATE_MS / 1_000} s.`,
}

/** At most this many facts are above the letter. `Show all` shows the others. */
const LINES_MAX = 4

/**
 * What is unusual about an approval. A look-alike is never folded and has to be seen, as is `unfolded`; of the other facts the first are shown, each on
 * one line. The text reports how much the desk knows, and never that something is safe.
 */
export function BeforeYouDecide({ known, item, first, unfolded }: Props) {
  const [isComparing, setIsComparing] = useState(false)
  const own = known.kind === "read" ? [...first, ...factsOf(known.context, item)] : first
  const before = known.context?.declined_before
  // Always among the lines that are not folded.
  const place = Math.min(first.length, LINES_MAX - 1)
  const compare = before ? [declinedFact(() => setIsComparing(true))] : []
  const facts = [...own.slice(0, place), ...compare, ...own.slice(place)]
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
      {isComparing && before && (
        <DeclinedLetter
          item={item}
          declined={[before.work_id, before.approval_id]}
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

function factsOf({ destination, ...context }: DecisionContext, item: Approval): readonly DecisionFact[] {
  const { first_of_colleague: isFirstOfColleague, same_elsewhere: sameElsewhere, may } = context
  const { last_approved: last } = destination
  const firstLetter = (
    <>
      First letter to <Address>{item.destination}</Address>
      {formatKnown(context)}
    </>
  )
  const firstRequest = (
    <>
      First request from <Address>{item.requested_by_colleague}</Address>
    </>
  )
  return [
    ...factIf(destination.first, "first", "address", firstLetter),
    ...factIf(isFirstOfColleague, "asker", "hand", firstRequest),
    ...sameElsewhere.map(({ work_id: workId, work_title: title, approval_id: approvalId }): DecisionFact => {
      const text = (
        <span className={styles["same"]}>
          The same letter is also pending in{" "}
          <Link to={inboxAddress("/approvals", workId, approvalId)}>
            “<OutsideText empty="Untitled">{title}</OutsideText>”
          </Link>
        </span>
      )
      return { key: `same ${workId} ${approvalId}`, icon: "copy", text }
    }),
    ...factIf(
      last !== undefined,
      "last",
      "compare",
      last && <LastLetter id={[last.work_id, last.approval_id]} item={item} />,
    ),
    ...factIf(destination.history.length > 0, "history", "record", <History destination={destination} />),
    ...factIf(
      may?.approve === true && may.creator_unknown,
      "creator",
      "unknown",
      "This desk doesn't know who created this Work, so it can't tell whether it was you.",
    ),
  ]
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

function factIf(isSo: boolean, key: string, icon: IconName, text: ReactNode): readonly DecisionFact[] {
  return isSo ? [{ key, icon, text }] : []
}

/** "Looks like bank@bank.example, approved twice: the “а” is Cyrillic." */
export function LooksLike(lookAlike: LookAlike) {
  return (
    <span>
      <strong className={styles["odd"]}>
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
          <Address>{reason.domain}</Address> is only part of this domain
        </>
      )
  }
}

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
  return ["never", "once", "twice"][count] ?? countOf(count, "time")
}
