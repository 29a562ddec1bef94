import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import type { Overview } from "../../contract/desk-work.ts"
import { errorOfProblem } from "../client/desk-error.ts"
import { timeZone } from "../client/clock.ts"
import { deskQuery } from "../client/desk-request.ts"
import { newsOptions } from "../client/news.ts"
import { answerWith } from "../client/value-schema.ts"
import { useWaiting } from "../client/waiting.ts"
import { mayFreeze, useSession } from "../client/session.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { RelativeTime, useNow } from "../ui/clocks.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { PageBar, Skeleton } from "../ui/page-parts.tsx"
import { Read } from "../ui/error-alert.tsx"
import { part } from "../ui/part.tsx"
import { countOf } from "../../contract/plural.ts"
import { formatAge, momentOf } from "../ui/time-words.ts"
import { Colleagues } from "./colleagues.tsx"
import { Decisions } from "./decisions.tsx"
import { Due } from "./due.tsx"
import styles from "./overview.module.css"
import { addressOf, useNeed, WhatWaits } from "./what-waits.tsx"

const SinceYouWereHere = part(
  "Since you were here",
  async () => (await import("./since-you-were-here.tsx")).SinceYouWereHere,
)

/** How often the figures are read once the desk has checked all open Work. */
const COMPLETE_MS = 10_000
/** How often the figures are read while the desk is still checking Work. */
const INCOMPLETE_MS = 2_000

/** The figures of the overview, kept current while they are shown. */
const overviewOptions = deskQuery(
  ["overview"],
  `/desk/overview?${new URLSearchParams({ zone: timeZone() })}`,
  answerWith<Overview>("at", "waiting", "due", "colleagues"),
  { refetchInterval: ({ state: { data } }) => (data?.complete === false ? INCOMPLETE_MS : COMPLETE_MS) },
)

/** The figures about all open Work: waiting items, due dates, colleagues and decisions. */
export default function OverviewPage() {
  const { data: overview, error: readError, refetch } = useQuery(overviewOptions)
  const { data: news } = useQuery(newsOptions)
  const error = readError ?? (overview?.problem && errorOfProblem(overview.problem, undefined)) ?? null
  const read = { data: overview, error, refetch }
  return (
    <>
      <PageBar title="Overview">
        {overview && <AsOf overview={overview} isCurrent={error === null} />}
        <FreezeButton colleagues={overview?.colleagues.map(({ id }) => id) ?? []} />
      </PageBar>
      <div className={styles["overview"]}>
        {news !== undefined && news.total > 0 && <SinceYouWereHere news={news} />}
        <Read query={read} loading={<Placeholders />} kept="The figures below may be out of date.">
          {(overview) => (
            <>
              <LongestWait overview={overview} isCurrent={error === null} />
              <Late />
              <Coverage overview={overview} />
              <WhatWaits overview={overview} />
              <Due overview={overview} />
              <Colleagues overview={overview} />
              {overview.decisions !== undefined && <Decisions decisions={overview.decisions} />}
            </>
          )}
        </Read>
      </div>
    </>
  )
}

const FreezeDialog = part("Freeze", async () => (await import("./freeze-dialog.tsx")).FreezeDialog)

/** Opens the dialog that freezes the desk or a colleague, for overseers. */
function FreezeButton({ colleagues }: { colleagues: readonly string[] }) {
  const session = useSession()
  const [isOpen, setIsOpen] = useState(false)
  if (session === undefined || !mayFreeze(session)) return null
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        Freeze…
      </Button>
      {isOpen && <FreezeDialog colleagues={colleagues} onClose={() => setIsOpen(false)} />}
    </>
  )
}

type Props = {
  overview: Overview
  /** False while the desk or the service does not answer. */
  isCurrent: boolean
}

function AsOf({ overview: { at, total, complete, oldest_check_at: oldest, problem }, isCurrent }: Props) {
  // With a problem the desk cannot read the service, and the figures are as old as the oldest check.
  const checkedAt = problem === undefined ? at : oldest
  return (
    <span className="soft small">
      {isCurrent && complete && total > 1 && `All ${total} checked`}
      {!isCurrent && checkedAt !== null && (
        <>
          As of <RelativeTime at={checkedAt} />
        </>
      )}
    </span>
  )
}

/** The item that has needed the person longest. */
function LongestWait({ overview: { waiting, complete }, isCurrent }: Props) {
  const now = useNow(10_000)
  const { needed } = useNeed()
  const longest = needed && waiting.find(({ item_id }) => needed.has(item_id))
  if (longest === undefined) {
    const nothing = isCurrent ? "Nothing needs you." : "Nothing needed you at the last check."
    const isKnown = complete && needed !== undefined
    return <p className={styles["lead"]}>{isKnown ? nothing : "Checking what needs you…"}</p>
  }
  const to = addressOf(longest)
  return (
    <p className={styles["lead"]}>
      <span>
        Longest waiting{complete ? "" : " so far"}: <strong>{formatAge(now - Date.parse(longest.created_at))}</strong>,{" "}
        <Link to={to} className={styles["link"]}>
          <OutsideText empty="Untitled">{longest.title}</OutsideText>
        </Link>
      </span>
      <ButtonLink to={to} kind="primary">
        Open
      </ButtonLink>
    </p>
  )
}

/** How many approvals are past the time by which a rule wants them to be decided. */
export function Late() {
  const now = useNow(10_000)
  const isLate = (decideBy = "") => (momentOf(decideBy) ?? Infinity) < now
  const late = useWaiting(({ waiting }) => waiting?.approvals.filter(({ decide_by }) => isLate(decide_by)).length ?? 0)
  if (late === 0) return null
  return (
    <p>
      <Link to="/approvals" className={styles["link"]}>
        {countOf(late, "approval is", "approvals are")} overdue
      </Link>
    </p>
  )
}

/** How much of the open Work the desk has checked. The hatched part is not checked yet. */
function Coverage({ overview: { checked, total, complete } }: { overview: Overview }) {
  if (complete) return null
  return (
    <p className={styles["coverage"]}>
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <defs>
          <pattern id="unchecked" width="3" height="8" patternUnits="userSpaceOnUse" patternTransform="skewX(-20)">
            <rect width="1" height="8" className={styles["quiet"]} />
          </pattern>
        </defs>
        <rect width="100" height="8" fill="url(#unchecked)" />
        <rect width={total === 0 ? 0 : (checked / total) * 100} height="8" className={styles["quiet"]} />
      </svg>
      <output>
        {checked} of {total} checked
      </output>
    </p>
  )
}

function Placeholders() {
  return (
    <div aria-busy="true" className={styles["placeholders"]}>
      <span className="visually-hidden">Loading the overview</span>
      <Skeleton width="40%" />
      <Skeleton width="100%" />
      <Skeleton width="100%" />
      <Skeleton width="100%" />
    </div>
  )
}
