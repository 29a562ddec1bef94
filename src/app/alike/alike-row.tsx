/** One letter in the table of a card: where it goes, how it differs, what is unusual about it, and its state. */
import { memo, type RefCallback, useId } from "react"
import { Link } from "react-router"
import type { AlikeRow } from "./alike-group.ts"
import styles from "./alike.module.css"
import { PlaceText } from "./place-text.tsx"
import type { RowFacts } from "./row-choice.ts"
import type { RowState } from "./use-together.tsx"
import { nameOfRow } from "./use-row-facts.ts"
import { UNCHECKED } from "../approvals/before-you-decide.tsx"
import { LooksLike } from "../approvals/look-alike.tsx"
import { earlierFacts, teamFacts } from "../approvals/team-facts.tsx"
import { APPROVAL_MEMBERS } from "../client/check-resource.ts"
import { inboxAddress } from "../inbox/addresses.ts"
import type { InboxPage } from "../inbox/inbox-view.ts"
import { classes } from "../ui/classes.ts"
import { ChangedText, Facts, OtherFacts } from "../ui/facts.tsx"
import { writeHidden } from "../ui/hidden-characters.ts"
import { Icon } from "../ui/icon.tsx"
import { HiddenName, OutsideText } from "../ui/outside-text.tsx"
import { Skeleton } from "../ui/page-parts.tsx"

type Props = {
  page: InboxPage
  row: AlikeRow
  facts: RowFacts
  state: RowState
  /** The texts of the first letter at the shown places. */
  first: AlikeRow["texts"]
  canToggle: boolean
  watch: RefCallback<HTMLElement>
  onToggle: (box: HTMLInputElement) => void
}

export function AlikeLine({ page, row, facts, state, first, canToggle, watch, onToggle }: Props) {
  const stateId = useId()
  const { shown, id } = row
  const isChosen = state.kind === "chosen" || state.kind === "waiting"
  return (
    <tr
      ref={watch}
      data-key={row.key}
      data-read={nameOfRow(row.key, facts.context)}
      className={classes(isChosen && styles["picked"])}
    >
      <td>
        <input
          type="checkbox"
          aria-label={`Choose ${writeHidden(shown.destination)}`}
          aria-describedby={stateId}
          aria-disabled={!canToggle}
          checked={isChosen}
          onChange={(event) => onToggle(event.currentTarget)}
        />
      </td>
      <Letter row={row} first={first} />
      <td>
        <Warnings facts={facts} />
      </td>
      <td>
        <p id={stateId} className={styles["state"]}>
          <StateText state={state} />
        </p>
        <Link to={inboxAddress(page, ...id)} className="underlined">
          Open
          <HiddenName>{shown.destination}</HiddenName>
        </Link>
      </td>
    </tr>
  )
}

/** Where the letter goes and how it differs. Drawn once: a change of these texts is taken for the browser's. */
const Letter = memo(function Letter({ row: { shown, texts }, first }: Pick<Props, "row" | "first">) {
  const differing = texts.flatMap((each, index) => (each.differs || texts === first ? [{ ...each, index }] : []))
  return (
    <>
      <th scope="row" aria-label={writeHidden(shown.destination)} data-letter="">
        <span className="mono">
          <ChangedText>{shown.destination}</ChangedText>
        </span>
        <span className={styles["summary"]}>
          <ChangedText>{shown.summary}</ChangedText>
        </span>
      </th>
      <td data-letter="">
        {differing.length === 0 && <span className="soft">Same text</span>}
        <ul className={styles["texts"]}>
          {differing.map(({ text, index }) => (
            <li key={index}>
              <span className={styles["number"]}>{index + 1}</span>
              <span>
                <PlaceText text={text} first={first[index]?.text ?? ""} />
              </span>
            </li>
          ))}
        </ul>
        {Object.keys(shown).some((member) => !Object.hasOwn(APPROVAL_MEMBERS, member)) && (
          <Facts>
            <OtherFacts of={shown} known={APPROVAL_MEMBERS} />
          </Facts>
        )}
      </td>
    </>
  )
})

/** What is unusual about the letter, as in `Before you decide`, without what has been decided about other letters. */
function Warnings({ facts: { shown, context, team } }: { facts: RowFacts }) {
  const lines = [...teamFacts(team), ...earlierFacts(team.approvals, shown.version)]
  const {
    destination,
    first_of_colleague: isFirst,
    same_elsewhere: same = [],
    declined_before: declined,
    may,
  } = context.context ?? {}
  const words = [
    destination?.first === true && "First letter to this destination",
    isFirst === true && "First request from this colleague",
    declined !== undefined && declined !== null && "Follows a declined letter",
    may?.approve === true && may.creator_unknown && "This desk doesn't know who created the Work",
  ].filter((word) => word !== false)
  return (
    <ul className={styles["warnings"]}>
      {context.context?.look_alikes.map((lookAlike) => (
        <li key={lookAlike.destination} className={styles["warn"]}>
          <Icon name="warning" size={14} />
          <LooksLike {...lookAlike} />
        </li>
      ))}
      {lines.map(({ key, icon, text }) => (
        <li key={key}>
          <Icon name={icon} size={14} />
          <span>{text}</span>
        </li>
      ))}
      {words.map((word) => (
        <li key={word}>
          <Icon name="address" size={14} />
          {word}
        </li>
      ))}
      {same.map(({ work_id: workId, work_title: title, approval_id: approvalId }) => (
        <li key={`${workId} ${approvalId}`}>
          <Icon name="copy" size={14} />
          <span>
            The same letter is pending in{" "}
            <Link to={inboxAddress("/approvals", workId, approvalId)} className="underlined">
              “<OutsideText empty="Untitled">{title}</OutsideText>”
            </Link>
          </span>
        </li>
      ))}
      {context.kind === "failed" && <li>{UNCHECKED.failed}</li>}
      {context.kind !== "failed" && context.kind !== "read" && (
        <li>
          <Skeleton width="80%" />
        </li>
      )}
    </ul>
  )
}

const SENDING = { approve: "Approving", decline: "Declining" } as const
const DONE = { approve: "Approved", decline: "Declined" } as const

function StateText({ state }: { state: RowState }) {
  switch (state.kind) {
    case "free":
      return null
    case "chosen":
      return "Chosen"
    case "waiting":
      return "Waiting"
    case "held":
      return "Kept until others approve"
    case "sending":
      return SENDING[state.decision]
    case "done":
      return (
        <strong>
          <Icon name="done" size={14} /> {DONE[state.decision]}
        </strong>
      )
    case "changed":
      return <OutsideText>{state.what}</OutsideText>
    case "blocked":
      return (
        <span className="soft">
          <OutsideText>{state.why}</OutsideText>
        </span>
      )
    case "refused":
    case "unknown":
      return (
        <strong className={styles["bad"]}>
          <OutsideText>{state.why}</OutsideText>
        </strong>
      )
  }
}
