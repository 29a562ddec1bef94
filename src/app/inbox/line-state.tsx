import { deskNow } from "../client/clock.ts"
import { useSession } from "../client/session.ts"
import type { WaitingItem } from "../client/waiting.ts"
import { Icon } from "../ui/icon.tsx"
import { useClock } from "../ui/now.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { momentOf } from "../ui/time-words.ts"
import styles from "./team.module.css"
import type { Item } from "./item.ts"
import { sayApprovals, sayAssignment, sayDecideBy } from "./team-words.ts"

/** The one line of a row that says what others do with the item. Nothing where nobody does anything. */
export function LineState({ entry }: { entry: WaitingItem<Item> }) {
  const myId = useSession()?.person.id ?? ""
  const { back, approvals, people = [], assignment } = entry
  const words = useClock((now) =>
    [
      ...(back === true ? ["Back"] : []),
      ...(approvals === undefined ? [] : [sayApprovals(approvals, now)]),
      ...(assignment === undefined ? [] : [sayAssignment(assignment, myId, now)]),
    ].join(" · "),
  )
  if (words === "" && people.length === 0) return null
  return (
    <div className={styles["state"]}>
      {back === true && <Icon name="back" size={15} />}
      {words !== "" && (
        <span className={styles["words"]}>
          <OutsideText>{words}</OutsideText>
        </span>
      )}
      {people.length > 0 && (
        <>
          <Icon name="eye" size={15} />
          <OutsideText>{people.map(({ name }) => name).join(", ")}</OutsideText>
        </>
      )}
    </div>
  )
}

/** By when a rule of the desk wants an approval to be decided. */
export function DecideBy({ by }: { by: string }) {
  const words = useClock((now) => sayDecideBy(by, now))
  const isPast = (momentOf(by) ?? Infinity) <= deskNow()
  return <strong className={isPast ? styles["late"] : undefined}>{words}</strong>
}
