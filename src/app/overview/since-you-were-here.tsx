/** The Work that is new to the person: a line for each kind of news. */
import { Link } from "react-router"
import {
  NEWS_KINDS,
  type NewWork,
  type NewWorkEntry,
  type NewsKind,
  type SeenReport,
} from "../../contract/desk-work.ts"
import { askDesk } from "../client/desk-request.ts"
import { jsonRequest, useDeskMutation } from "../client/desk-writes.ts"
import { newsOptions } from "../client/news.ts"
import { workAddress } from "../inbox/addresses.ts"
import { Button } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { focusTitle } from "../ui/page-parts.tsx"
import { countOf } from "../../contract/plural.ts"
import styles from "./since-you-were-here.module.css"

/** A line names at most this many Works. */
const SHOWN_MAX = 5

const LINES: Readonly<Record<NewsKind, string>> = {
  done: "Done",
  results: "Results",
  paused: "Paused",
  declined: "Declined",
  approved: "Approved",
  answered: "Answered",
  asked: "Questions",
  approval: "Approvals requested",
  changed: "Changed",
}

export function SinceYouWereHere({ news }: { news: NewWork }) {
  const markAll = useDeskMutation(
    async (seen: SeenReport) => void (await askDesk("/desk/seen", jsonRequest("POST", seen))),
    // The button goes with its section.
    { stale: newsOptions.queryKey, onDone: focusTitle },
  )
  const { new: entries, total, etag } = news
  const byKind = Map.groupBy(entries, ({ what: [kind = "changed"] }) => kind)
  return (
    <section aria-labelledby="since-you-were-here" className={styles["news"]}>
      <div className={styles["head"]}>
        <h2 id="since-you-were-here">Since you were here</h2>
        <Button size="small" inactive={markAll.isPending} onClick={() => markAll.mutate({ all: etag })}>
          Mark all as seen
        </Button>
      </div>
      <dl className={styles["lines"]}>
        {NEWS_KINDS.map((kind) => {
          const ofKind = byKind.get(kind)
          return ofKind && <Line key={kind} name={LINES[kind]} entries={ofKind} />
        })}
      </dl>
      {total > entries.length && (
        <p className="soft small">
          Showing the newest {entries.length} of {total}.
        </p>
      )}
      {markAll.error && <ErrorAlert error={markAll.error} />}
    </section>
  )
}

function Line({ name, entries }: { name: string; entries: NewWork["new"] }) {
  const more = entries.length - SHOWN_MAX
  return (
    <div className={styles["line"]}>
      <dt>
        {name} <span className="soft">{entries.length}</span>
      </dt>
      <dd>
        <ul>
          {entries.slice(0, SHOWN_MAX).map((entry) => (
            <NewsLink key={entry.work} entry={entry} />
          ))}
          {more > 0 && (
            <li>
              <Link to="/work?new=1">{more} more</Link>
            </li>
          )}
        </ul>
      </dd>
    </div>
  )
}

/** The line says what happened, so the link adds only how many results there are, or who acted. */
function NewsLink({ entry }: { entry: NewWorkEntry }) {
  const { results, by } = entry
  const more = results === undefined ? by?.name : countOf(results, "result")
  return (
    <li>
      <Link to={workAddress(entry.work)} className={styles["link"]}>
        <OutsideText empty="Untitled">{entry.title}</OutsideText>
      </Link>
      {more !== undefined && (
        <span className="soft small">
          {" "}
          <OutsideText>{more}</OutsideText>
        </span>
      )}
    </li>
  )
}
