/** The line of a row that says why its item is unusual, and what others do with it. */
import { useClaimWords } from "./claim-line.tsx"
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

/** What the desk knows of the destination of an approval. */
export type DestinationNote = {
  /** The known destination that this one looks like. */
  readonly lookAlike?: string | undefined
  readonly isNew?: boolean | undefined
}

type Props = DestinationNote & { entry: WaitingItem<Item> }

/** Whether others do something with an item, or it has a time to be decided. Most items are not noted, and their rows need no clock. */
export const isNoted = ({ back, people = [], approvals, assignment, decide_by: by }: WaitingItem<Item>): boolean =>
  back === true || people.length > 0 || approvals !== undefined || assignment !== undefined || by !== undefined

/** The most unusual comes first: what may deceive, what is late, then what others do. Nothing for an item like any other. */
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

/** What the texts of an item may deceive with: words that mix scripts, and characters that cannot be seen. */
function findDeceptive({ work, item }: WaitingItem<Item>): string | undefined {
  const texts = [titleOf(item), destinationOf(item), subjectOf(item), work.title].filter((text) => text !== undefined)
  for (const text of texts) {
    const [mixed] = mixedScripts(text)
    if (mixed !== undefined) return `Mixed scripts: ${mixed.scripts.join(", ")} in “${mixed.word}”`
  }
  return texts.some((text) => splitHidden(text).some((part) => "hidden" in part)) ? "Hidden characters" : undefined
}
