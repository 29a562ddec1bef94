/** The inbox when nothing needs the person: a link to the items that wait for others, and the Work done since the last visit. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { workAddress } from "./addresses.ts"
import styles from "./nothing-left.module.css"
import { deskQuery } from "../client/desk-request.ts"
import { workListAnswer } from "../client/work-reads.ts"
import { RelativeTime } from "../ui/clocks.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { countOf } from "../../contract/plural.ts"
import { momentOf } from "../ui/time-words.ts"

/** The id of the folded list of items that wait for others. */
export const OTHERS_ID = "waiting-for-others"

type Props = {
  title: string
  /** How many items wait for others. */
  others: number
  /** When the person last opened the inbox, in ms since 1970. */
  lastVisit: number | undefined
}

export function NothingLeft({ title, others, lastVisit }: Props) {
  return (
    <div className={styles["nothing"]}>
      <h2>{title}</h2>
      {others > 0 && (
        <p>
          <a
            href={`#${OTHERS_ID}`}
            onClick={(event) => {
              event.preventDefault()
              showOthers()
            }}
          >
            {countOf(others, "item waits", "items wait")} for others
          </a>
        </p>
      )}
      {lastVisit !== undefined && <DoneSince lastVisit={lastVisit} />}
      <p>
        <Link to="/work">All Work</Link>
      </p>
    </div>
  )
}

function showOthers() {
  const list = document.querySelector<HTMLDetailsElement>(`#${OTHERS_ID}`)
  if (list === null) return
  list.open = true
  list.querySelector("summary")?.focus()
}

/** At most this many are listed, the newest first. The link to all Work leads to the rest. */
const DONE_MAX = 5

/** The Work that was done since the last visit. Nothing while it is being read, or if there is none. */
function DoneSince({ lastVisit }: { lastVisit: number }) {
  const { data } = useQuery(deskQuery(["done-since-visit"], "/api/v1/work?status=done&limit=50", workListAnswer))
  const done = (data?.data ?? [])
    .filter(({ updated_at: at }) => (momentOf(at) ?? 0) > lastVisit)
    .sort((one, other) => (momentOf(other.updated_at) ?? 0) - (momentOf(one.updated_at) ?? 0))
    .slice(0, DONE_MAX)
  if (done.length === 0) return null
  return (
    <>
      <h3>Done since your last visit</h3>
      <ul>
        {done.map(({ id, title, updated_at: at }) => (
          <li key={id}>
            <Link to={workAddress(id)} className={styles["done"]}>
              <Icon name="done" />
              <span className="ellipsis">
                <OutsideText empty="Untitled">{title}</OutsideText>
              </span>
              <RelativeTime at={at} focusable={false} className="soft" />
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
