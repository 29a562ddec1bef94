import type { Work } from "../../contract/resources.ts"
import type { Group } from "../../contract/work-order.ts"
import { deskNow } from "../client/clock.ts"
import { VirtualList } from "../ui/virtual-list.tsx"
import { groupNameOf } from "./list-order.ts"
import styles from "./work-list.module.css"
import { WorkRow } from "./work-row.tsx"

/** The expected heights in pixels of a row without and with a question, and of a heading. */
const HEIGHT = 51
const HEIGHT_WITH_QUESTION = 72
const HEADING = 41

type Props = {
  rows: readonly Work[]
  /** How many rows are open Work. Rows of done Work follow them. */
  open: number
  group: Group | undefined
  selectedId: string
  onSelect: (id: string) => void
  onSight: (first: number, last: number) => void
}

/** The rows of the list, with a heading before each group. */
export function WorkRows({ rows, open, group, selectedId, onSelect, onSight }: Props) {
  const headings = headingsOf(rows, open, group)
  return (
    <VirtualList
      label="Work"
      className={styles["rows"]}
      keys={rows.map(({ id }) => id)}
      kept={selectedId}
      heightOf={(index) =>
        (rows[index]?.attention_question === undefined ? HEIGHT : HEIGHT_WITH_QUESTION) +
        (headings.has(index) ? HEADING : 0)
      }
      onSight={onSight}
    >
      {(index) => {
        const work = rows[index]
        return (
          work && (
            <>
              {headings.has(index) && <h2 className={styles["group"]}>{headings.get(index)}</h2>}
              <WorkRow work={work} selected={work.id === selectedId} onSelect={onSelect} />
            </>
          )
        )
      }}
    </VirtualList>
  )
}

/** The headings of the groups, each by the index of the row below it. */
function headingsOf(rows: readonly Work[], open: number, group: Group | undefined): ReadonlyMap<number, string> {
  const headings = new Map<number, string>()
  if (group === undefined) return headings
  const now = deskNow()
  let nameAbove: string | undefined
  for (const [index, work] of rows.entries()) {
    const name = index < open ? groupNameOf(work, group, now) : "Done"
    // A colleague may have the id "Done", so the first done row always has a heading.
    const isFirstDone = index === open
    if (name !== nameAbove || isFirstDone) headings.set(index, name)
    nameAbove = name
  }
  return headings
}
