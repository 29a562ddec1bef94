/** The note in a row of the inbox: what is unusual about the item, and who is working on it. */
import { useClaimWords } from "./claim-facts.tsx"
import { formatAway } from "./claim-words.ts"
import styles from "./inbox-row.module.css"
import { destinationOf, type Item, subjectOf, titleOf } from "./item.ts"
import type { WaitingItem } from "../client/waiting.ts"
import { useClock } from "../ui/clocks.tsx"
import { classes } from "../ui/classes.ts"
import { mixedScripts } from "../ui/deceptive-text.ts"
import { splitHidden } from "../ui/hidden-characters.ts"
import { Icon, type IconName } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatClock, momentOf } from "../ui/time-words.ts"

/** What the desk knows about the destination of an approval. */
export type DestinationNote = {
  /** The known destination that this one looks like. */
  readonly lookAlike?: string | undefined
  readonly isNew?: boolean | undefined
}

type Props = DestinationNote & { entry: WaitingItem<Item> }

/** Whether somebody is working on an item, or it has a deadline. Most items have neither, so their rows need no clock. */
export const isNoted = ({ back, people = [], approvals, assignment, decide_by: by }: WaitingItem<Item>): boolean =>
  back === true || people.length > 0 || approvals !== undefined || assignment !== undefined || by !== undefined

/** Deceptive texts come first, then the deadline, then what others do. An ordinary item has no note. */
export function RowNote(props: Props) {
  return isNoted(props.entry) ? <ClaimedNote {...props} /> : <NoteLine {...props} claimed="" due="" isLate={false} />
}

function ClaimedNote(props: Props) {
  const { back, assignment, decide_by: by } = props.entry
  const moment = momentOf(by ?? "")
  const isLate = useClock((now) => moment !== undefined && moment <= now)
  const due = useClock((now) => {
    if (moment === undefined) return by === undefined ? "" : `Decide by ${by}`
    return `${moment <= now ? "Overdue since" : "Decide by"} ${formatClock(moment, now)}`
  })
  const away = useClock((now) => assignment && formatAway(assignment, now))
  const claimed = [back && "Back", useClaimWords(props.entry), away].filter(Boolean).join(" · ")
  return <NoteLine {...props} claimed={claimed} due={due} isLate={isLate} />
}

type LineProps = Props & { claimed: string; due: string; isLate: boolean }

function NoteLine({ entry, lookAlike, isNew, claimed, due, isLate }: LineProps) {
  const names = (entry.people ?? []).map(({ name }) => name).join(", ")
  const odd = lookAlike === undefined ? findDeceptive(entry) : `Looks like ${lookAlike}`
  const words = [odd, due, claimed, odd || due || claimed ? "" : isNew && "New destination"].filter(Boolean).join(" · ")
  if (words === "" && names === "") return null
  return (
    <div className={classes(styles["why"], isLate && styles["bad"], odd !== undefined && styles["warn"])}>
      {words !== "" && (
        <>
          <Icon
            name={iconOf({ isOdd: odd !== undefined, isDue: due !== "", isBack: entry.back === true, claimed })}
            size={14}
          />{" "}
          <OutsideText>{words}</OutsideText>
        </>
      )}
      {names !== "" && (
        <>
          {" "}
          <Icon name="eye" size={14} /> <OutsideText>{names}</OutsideText>
        </>
      )}
    </div>
  )
}

type Reasons = { isOdd: boolean; isDue: boolean; isBack: boolean; claimed: string }

function iconOf({ isOdd, isDue, isBack, claimed }: Reasons): IconName {
  if (isOdd) return "warning"
  if (isDue) return "clock"
  if (isBack) return "back"
  return claimed === "" ? "address" : "hand"
}

/** Finds words that mix scripts, and invisible characters, in the texts of an item. */
function findDeceptive({ work, item }: WaitingItem<Item>): string | undefined {
  const texts = [titleOf(item), destinationOf(item), subjectOf(item), work.title].filter((text) => text !== undefined)
  for (const text of texts) {
    const [mixed] = mixedScripts(text)
    if (mixed !== undefined) return `Mixed scripts: ${mixed.scripts.join(", ")} in “${mixed.word}”`
  }
  return texts.some((text) => splitHidden(text).some((part) => "hidden" in part)) ? "Hidden characters" : undefined
}
