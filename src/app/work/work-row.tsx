import { memo } from "react"
import { Link } from "react-router"
import { workAddress } from "../inbox/addresses.ts"
import type { Work } from "../../contract/resources.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { Nothing, part } from "../ui/part.tsx"
import { RelativeTime } from "../ui/relative-time.tsx"
import { WorkStatusMark } from "../ui/status.tsx"
import { WorkDue } from "./work-due.tsx"
import styles from "./work-list.module.css"
import { priorityWord } from "./list-order.ts"

const MixedScripts = part("A mark", async () => (await import("../ui/mixed-scripts.tsx")).MixedScripts, {
  missing: Nothing,
})

/** A row of the list. The whole row is a link to the Work. */
export const WorkRow = memo(function WorkRow({
  work,
  selected,
  onSelect,
}: {
  work: Work
  selected: boolean
  onSelect: (id: string) => void
}) {
  const priority = work.priority === "normal" ? undefined : priorityWord(work.priority)
  const words = `${work.title}\n${work.attention_question ?? ""}`
  // ASCII text mixes no scripts. The code that finds mixed scripts is loaded for the first other text.
  const mayMix = /\P{ASCII}/u.test(words)
  return (
    <Link
      to={workAddress(work.id)}
      className={styles["row"]}
      data-row={work.id}
      data-selected={selected}
      onClick={() => onSelect(work.id)}
      onFocus={() => onSelect(work.id)}
    >
      <WorkStatusMark status={work.status} />
      <span className={styles["words"]}>
        <span className={styles["title"]}>
          <OutsideText empty="Untitled">{work.title}</OutsideText>
        </span>
        {mayMix && <MixedScripts text={words} />}
        {work.attention_question !== undefined && (
          <span className={styles["question"]}>
            <OutsideText>{work.attention_question}</OutsideText>
          </span>
        )}
      </span>
      <span className={styles["name"]}>
        <OutsideText>{work.colleague_id}</OutsideText>
      </span>
      <span className={styles["extra"]}>
        {priority !== undefined && <OutsideText>{priority}</OutsideText>}
        {work.due_at !== undefined && <WorkDue at={work.due_at} done={work.status === "done"} />}
      </span>
      <RelativeTime at={work.created_at} bare focusable={false} className={styles["age"] ?? ""} />
    </Link>
  )
})
