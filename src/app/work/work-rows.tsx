import { useQuery } from "@tanstack/react-query"
import { memo } from "react"
import { Link } from "react-router"
import type { NamedPerson } from "../../contract/desk-people.ts"
import type { Delegated, NewWorkEntry } from "../../contract/desk-work.ts"
import type { Work } from "../../contract/resources.ts"
import type { Group } from "../../contract/work-order.ts"
import { deskNow } from "../client/clock.ts"
import { unreadOf } from "../client/check-resource.ts"
import { newsOptions } from "../client/news.ts"
import { useSession } from "../client/session.ts"
import { useWaitWords } from "../client/work-wait.ts"
import { workAddress } from "../inbox/addresses.ts"
import { ExactTime, RelativeTime, useNow } from "../ui/clocks.tsx"
import { lookUp } from "../ui/look-up.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { Nothing, part } from "../ui/part.tsx"
import { priorityWord, WorkStatusMark } from "../ui/status.tsx"
import { formatDay, momentOf } from "../ui/time-words.ts"
import { VirtualList } from "../ui/virtual-list.tsx"
import { groupNameOf } from "./list-order.ts"
import styles from "./work-list.module.css"

/** The expected heights in pixels of a row, of its line with a question or with what is new, and of a heading. */
const HEIGHT = 51
const LINE = 21
const HEADING = 41

type Props = {
  rows: readonly Work[]
  /** How many rows are open Work. Rows of done Work follow them. */
  open: number
  /** Who delegated the Works of the rows. */
  delegated: Delegated
  group: Group | undefined
  selectedId: string
  onSelect: (id: string) => void
  onVisibleRows: (first: number, last: number) => void
}

/** The rows of the list, with a heading before each group. */
export function WorkRows({ rows, open, delegated, group, selectedId, onSelect, onVisibleRows }: Props) {
  const headings = headingsOf(rows, open, group)
  const myId = useSession()?.person.id
  const { data: news } = useQuery(newsOptions)
  const newsOf = (work: Work | undefined) => news?.new.find((entry) => entry.work === work?.id)
  return (
    <>
      {/* Hidden from assistive technology, because the texts of a row are clear without headings. */}
      <div className={styles["headings"]} aria-hidden="true">
        {["Status", "Title", "Colleague", "Due", "Created"].map((heading) => (
          <span key={heading}>{heading}</span>
        ))}
      </div>
      <VirtualList
        label="Work"
        className={styles["rows"]}
        keys={rows.map(({ id }) => id)}
        kept={selectedId}
        heightOf={(index) =>
          HEIGHT +
          (rows[index]?.status === "needs_you" ? LINE : 0) +
          (newsOf(rows[index]) === undefined ? 0 : LINE) +
          (headings.has(index) ? HEADING : 0)
        }
        onVisibleRows={onVisibleRows}
      >
        {(index) => {
          const work = rows[index]
          return (
            work && (
              <>
                {headings.has(index) && <h2 className={styles["group"]}>{headings.get(index)}</h2>}
                <WorkRow
                  work={work}
                  news={newsOf(work)}
                  delegatedBy={nameOfOther(lookUp(delegated, work.id), myId)}
                  selected={work.id === selectedId}
                  onSelect={onSelect}
                />
              </>
            )
          )
        }}
      </VirtualList>
    </>
  )
}

const nameOfOther = (person: NamedPerson | undefined, myId: string | undefined) =>
  person === undefined || person.id === myId ? undefined : person.name

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

const MixedScripts = part("Mixed scripts", async () => (await import("../ui/mixed-scripts.tsx")).MixedScripts, {
  missing: Nothing,
})

const RowNews = part("News", async () => (await import("./row-news.tsx")).RowNews, { missing: Nothing })

type RowProps = Pick<Props, "onSelect"> & {
  work: Work
  news: NewWorkEntry | undefined
  /** The name of somebody else who delegated the Work. */
  delegatedBy: string | undefined
  selected: boolean
}

const WorkRow = memo(function WorkRow({ work, news, delegatedBy, selected, onSelect }: RowProps) {
  const priority = work.priority === "normal" ? undefined : priorityWord(work.priority)
  const waitsFor = useWaitWords(work)
  const words = `${work.title}\n${waitsFor ?? ""}`
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
      <WorkStatusMark work={work} />
      <span className={styles["words"]}>
        <span className={styles["title"]}>
          <OutsideText empty="Untitled">{work.title}</OutsideText>
        </span>
        {news !== undefined && <RowNews news={news} />}
        {unreadOf(work) !== undefined && (
          <span className={styles["question"]}>
            ID <OutsideText>{work.id}</OutsideText>
          </span>
        )}
        {mayMix && <MixedScripts text={words} />}
        {waitsFor !== undefined && (
          <span className={styles["question"]}>
            <OutsideText>{waitsFor}</OutsideText>
          </span>
        )}
      </span>
      <span className={styles["name"]}>
        <OutsideText>{work.colleague_id}</OutsideText>
        {delegatedBy !== undefined && (
          <span className={styles["delegated"]}>
            Delegated by <OutsideText>{delegatedBy}</OutsideText>
          </span>
        )}
      </span>
      <span className={styles["extra"]}>
        {priority !== undefined && <OutsideText>{priority}</OutsideText>}
        {work.due_at !== undefined && <WorkDue at={work.due_at} done={work.status === "done"} focusable={false} />}
      </span>
      <RelativeTime at={work.created_at} bare focusable={false} className={styles["age"] ?? ""} />
    </Link>
  )
})

/** When a Work is due, or since when it is overdue. Done Work is never overdue. `focusable` as for `ExactTime`. */
export function WorkDue({ at, done, focusable }: { at: string; done: boolean; focusable: boolean }) {
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
    <ExactTime at={at} focusable={focusable} className={overdue ? "over" : undefined}>
      {overdue ? "Overdue" : "Due"} {formatDay(moment, now)}
    </ExactTime>
  )
}
