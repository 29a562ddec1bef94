import { useNow } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { formatDay, formatExact, momentOf } from "../ui/time-words.ts"
import styles from "./work-list.module.css"

/** When a Work is due, or since when it is overdue. Done Work is never overdue. */
export function WorkDue({ at, done }: { at: string; done: boolean }) {
  const now = useNow(60_000)
  const moment = momentOf(at)
  if (moment === undefined)
    return (
      <span>
        Due <OutsideText>{at}</OutsideText>
      </span>
    )
  const overdue = !done && moment < now
  return (
    <time dateTime={at} title={formatExact(at)} className={overdue ? styles["overdue"] : undefined}>
      {overdue ? "Overdue" : "Due"} {formatDay(moment, now)}
    </time>
  )
}
