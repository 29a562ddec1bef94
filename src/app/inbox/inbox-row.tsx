/** A row of the inbox: kind, title, Work, colleague, age, and at most one line about what is unusual. */
import { type ComponentType, memo, type ReactNode } from "react"
import { Link } from "react-router"
import type { InboxLine } from "./inbox-lines.ts"
import styles from "./inbox-row.module.css"
import { colleagueOf, type ItemId, kindOf, titleOf } from "./item.ts"
import { type DestinationNote, RowNote } from "./row-note.tsx"
import { classes } from "../ui/classes.ts"
import { RelativeTime } from "../ui/clocks.tsx"
import { CutTitle } from "../ui/cut-title.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"

/**
 * Asks the desk about the destination of an approval, and draws the row's note from the answer. Used only once new items no longer move the
 * rows.
 */
export type ItemMark = ComponentType<{
  id: ItemId
  version: bigint
  children: (known: DestinationNote) => ReactNode
}>

const KINDS = {
  clarification: { word: "Question", icon: "question" },
  approval: { word: "Approval", icon: "approvals" },
} as const

type Props = Pick<InboxLine, "to" | "entry"> & {
  row: string
  /** How many letters are alike with this one, this one included. 0: none. */
  alike: number
  isGone: boolean
  isCurrent: boolean
  Mark: ItemMark | undefined
}

/** Drawn again only when something in the row changes. An entry that did not change is the same object. */
export const InboxRowLink = memo(function InboxRowLink({ row, to, entry, alike, isGone, isCurrent, Mark }: Props) {
  const { work, item } = entry
  const { word, icon } = KINDS[kindOf(item)]
  return (
    <Link to={to} className={styles["item"]} data-row={row} aria-current={isCurrent ? "true" : undefined}>
      <Icon name={icon} />
      <CutTitle className={styles["title"]}>{titleOf(item)}</CutTitle>
      <div className={styles["about"]}>
        {word}
        {alike > 0 && ` · ${alike} alike`}
        {" · "}
        <OutsideText empty="Untitled">{work.title}</OutsideText>
        {" · "}
        <OutsideText>{colleagueOf(entry)}</OutsideText>
      </div>{" "}
      <RelativeTime at={item.created_at} bare focusable={false} className={classes(styles["age"])} />
      {isGone && <div className={styles["why"]}>no longer pending</div>}
      {!isGone &&
        (Mark !== undefined && kindOf(item) === "approval" ? (
          <Mark id={[work.id, item.id]} version={item.version}>
            {(known) => <RowNote entry={entry} {...known} />}
          </Mark>
        ) : (
          <RowNote entry={entry} />
        ))}
    </Link>
  )
})
