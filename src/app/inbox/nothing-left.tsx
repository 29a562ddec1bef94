/** The inbox when nothing needs the person: a link to the items that wait for others, and the Work done since the last visit. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "react-router"
import { workAddress } from "./addresses.ts"
import styles from "./nothing-left.module.css"
import { newsOptions } from "../client/news.ts"
import { RelativeTime } from "../ui/clocks.tsx"
import { Icon } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { countOf } from "../../contract/plural.ts"

/** The id of the folded list of items that wait for others. */
export const OTHERS_ID = "waiting-for-others"

type Props = {
  title: string
  /** How many items wait for others. */
  others: number
}

export function NothingLeft({ title, others }: Props) {
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
      <DoneSince />
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

/** Done Work that the person hasn't seen yet. Shows nothing while it is being read, or if there is none. */
function DoneSince() {
  const { data } = useQuery(newsOptions)
  const done = (data?.new ?? []).filter(({ what }) => what.includes("done")).slice(0, DONE_MAX)
  if (done.length === 0) return null
  return (
    <>
      <h3>Done since your last visit</h3>
      <ul>
        {done.map(({ work: id, title, at }) => (
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
