import { useQuery } from "@tanstack/react-query"
import { type ChangeObject, diffArrays } from "diff"
import { use, useMemo } from "react"
import type { Approval } from "../../contract/resources.ts"
import { approvalsOptions } from "../client/work-reads.ts"
import { retryInterval } from "../client/polling.ts"
import type { ItemId } from "../inbox/item.ts"
import { AtRest } from "../ui/at-rest.ts"
import { classes } from "../ui/classes.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { plural } from "../../contract/plural.ts"
import { Skeleton } from "../ui/page-parts.tsx"
import styles from "./before-you-decide.module.css"

/** The comparison stops after this many edits, because letters with nothing in common take quadratic time. */
const EDITS_MAX = 500

/** The subject and the body, compared with the last approved letter to the same destination. */
export function LastLetter({ id: [workId, lastId], item }: { id: ItemId; item: Approval }) {
  const { data, error } = useQuery({
    ...approvalsOptions(workId),
    enabled: use(AtRest),
    refetchInterval: retryInterval,
  })
  const last = data?.find(({ id }) => id === lastId)
  // jsdiff returns undefined when the comparison passes its bound.
  const changes = useMemo(
    () => last && diffArrays(linesOf(last), linesOf(item), { maxEditLength: EDITS_MAX }),
    [last, item],
  )
  if (data === undefined && error === null) return <Skeleton width="60%" />
  const isKeptFromPerson = error?.failure === "not-visible" || error?.failure === "forbidden"
  if (data === undefined && !isKeptFromPerson) return "The last approved letter to this destination couldn't be loaded."
  if (last === undefined) return "The last approved letter to this destination is no longer available."
  if (changes === undefined)
    return "This letter is almost entirely different from the last approved letter to this destination."
  const changed = changedLines(changes)
  if (changed === 0) return "The subject and text are the same as in the last approved letter to this destination."
  return (
    <details>
      <summary>Compared with the last approved letter to this destination: {plural(changed, "line")} changed</summary>
      <section aria-label="Comparison with the last approved letter" className={styles["lines"]}>
        {changes.map(({ value, added, removed }, index) => {
          const text = <OutsideText multiline>{value.join("\n")}</OutsideText>
          return (
            // The only identity of a change is its place.
            <div key={index} className={classes(added && styles["added"], removed && "soft")}>
              {added && <ins>{text}</ins>}
              {removed && <del>{text}</del>}
              {!added && !removed && text}
            </div>
          )
        })}
      </section>
    </details>
  )
}

const linesOf = ({ subject, body }: Approval) => [subject, ...body.split(/\r?\n/)]

/** How many lines changed. A replaced line counts once: the comparison lists the removed lines right before the added lines. */
function changedLines(changes: readonly ChangeObject<string[]>[]): number {
  let changed = 0
  let removedBefore = 0
  for (const { value, added, removed } of changes) {
    if (added) changed += Math.max(value.length - removedBefore, 0)
    if (removed) changed += value.length
    removedBefore = removed ? value.length : 0
  }
  return changed
}
