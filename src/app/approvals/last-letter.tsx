import { useQuery } from "@tanstack/react-query"
import { diffArrays } from "diff"
import { useMemo } from "react"
import type { Approval } from "../../contract/resources.ts"
import { approvalsOptions } from "../client/work-reads.ts"
import { retryInterval } from "../client/polling.ts"
import type { ItemId } from "../inbox/item.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import styles from "./before-you-decide.module.css"

/** The comparison ends here, because two letters with nothing in common take quadratic time. */
const EDITS_MAX = 2_000

type Hunk = { readonly kind: "same" | "added" | "removed"; readonly lines: readonly string[] }

/** The subject and the body, compared with the last approved letter to the same destination. */
export function LastLetter({ id: [workId, approvalId], item }: { id: ItemId; item: Approval }) {
  const { data, error } = useQuery({ ...approvalsOptions(workId), refetchInterval: retryInterval })
  const last = data?.find(({ id }) => id === approvalId)
  const hunks = useMemo(() => last && compare(last, item), [last, item])
  if (data === undefined && error === null) return <Skeleton width="60%" />
  if (data === undefined && error?.failure !== "not-visible" && error?.failure !== "forbidden")
    return "The last approved letter to this destination could not be read just now."
  if (last === undefined) return "The last approved letter to this destination cannot be read any more."
  if (hunks === undefined) return "It has hardly anything in common with the last approved letter to this destination."
  const changed = changedLines(hunks)
  if (changed === 0) return "The same words as in the last approved letter to this destination."
  return (
    <details>
      <summary>
        Compared with the last approved letter to this destination: {changed} {changed === 1 ? "line" : "lines"} changed
      </summary>
      <section aria-label="Comparison with the last approved letter" className={styles["lines"]}>
        {hunks.map(({ kind, lines }, index) => {
          const text = <OutsideText multiline>{lines.join("\n")}</OutsideText>
          return (
            // The only identity of a hunk is its place.
            <div key={index} className={styles[kind]}>
              {kind === "removed" ? <del>{text}</del> : kind === "added" ? <ins>{text}</ins> : text}
            </div>
          )
        })}
      </section>
    </details>
  )
}

function compare(last: Approval, item: Approval): readonly Hunk[] | undefined {
  const linesOf = ({ subject, body }: Approval) => [subject, ...body.split(/\r?\n/)]
  // jsdiff returns undefined when the comparison passes its bound.
  const changes = diffArrays(linesOf(last), linesOf(item), { maxEditLength: EDITS_MAX })
  return changes?.map(({ value, added, removed }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    lines: value,
  }))
}

/** A replaced line counts as one changed line. */
function changedLines(hunks: readonly Hunk[]): number {
  let changed = 0
  let removed = 0
  for (const { kind, lines } of hunks) {
    changed += kind === "removed" ? lines.length : kind === "added" ? Math.max(lines.length - removed, 0) : 0
    removed = kind === "removed" ? lines.length : 0
  }
  return changed
}
