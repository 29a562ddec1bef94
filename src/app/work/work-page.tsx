import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { useCallback, useMemo, useState } from "react"
import { Link, useLocation } from "react-router"
import { ActivityFeed } from "../activity/activity-feed.tsx"
import { summarise } from "../activity/event-line.ts"
import { type Activity, useActivity, useLastEventAt } from "../activity/use-activity.ts"
import type { KnownOfWork } from "../activity/steps.ts"
import { approvalVariant } from "../approvals/approval.ts"
import { artifactsOptions } from "../artifacts/read-artifact.ts"
import { WorkArtifacts } from "../artifacts/work-artifacts.tsx"
import { WrittenText } from "../artifacts/written-text.tsx"
import { clarificationsOptions, WorkClarifications } from "../clarifications/clarification.tsx"
import type { Work } from "../../contract/resources.ts"
import { unreadOf } from "../client/check-resource.ts"
import type { DeskError } from "../client/desk-error.ts"
import { approvalsOptions, workOptions } from "../client/work-reads.ts"
import { workIdOf } from "../inbox/addresses.ts"
import { readAnswered, readDrafts } from "../inbox/item-entries.ts"
import { workRecordOptions } from "../inbox/work-record.ts"
import { KeptText } from "../inbox/decision-callout.tsx"
import { WorkItems } from "../inbox/work-items.tsx"
import { UnreadDetails } from "../inbox/unread-item.tsx"
import { ButtonLink } from "../ui/button.tsx"
import { Identifier } from "../ui/copy-button.tsx"
import { Callout } from "../ui/callout.tsx"
import { ReadError } from "../ui/error-alert.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { DeadEnd, PageTitle, Section, Skeleton } from "../ui/page-parts.tsx"
import { useFrozenText, WorkActions, WorkChange, WorkFacts, WorkMeta, WorkTitle } from "./work-head.tsx"
import { useSeenReport } from "./report-seen.ts"
import styles from "./work-page.module.css"
import type { ExportedEvent } from "./work-export.ts"

/** `/work/:id`: a Work with its open items on top, and its activity beside or below. */
export default function WorkPage() {
  const id = workIdOf(useLocation().pathname)
  return <WorkDetail key={id} id={id} />
}

/** The page of one Work. After the Work is taken away, this page does not ask for the Work again. */
function WorkDetail({ id }: { id: string }) {
  const [isGone, setIsGone] = useState(false)
  const read = useQuery({ ...workOptions(id), enabled: !isGone })
  if (!isGone && read.data !== undefined && read.error?.failure === "not-visible") setIsGone(true)
  return isGone ? <Gone workId={id} /> : <OpenWork id={id} read={read} />
}

/** Shown instead of a Work that was open, and that the person does not see any more. What they typed about its items stays readable. */
function Gone({ workId }: { workId: string }) {
  return (
    <>
      <DeadEnd page="You cannot see this Work any more" title="It was removed, or your access has changed">
        What you typed is kept. Reload the page to try again.
      </DeadEnd>
      <div className={styles["typed"]}>
        {readDrafts(workId).map(({ typed, text }, index) => (
          <KeptText key={index} what={typed} text={text} />
        ))}
      </div>
    </>
  )
}

function OpenWork({ id, read }: { id: string; read: UseQueryResult<Work, DeskError> }) {
  const { data: work, error, refetch } = read
  const activity = useActivity(id)
  const lastEventAt = useLastEventAt(activity.received)
  const known = useKnown(id, work)
  const isUnread = work !== undefined && unreadOf(work) !== undefined
  const { shown, hasChanged, showChange } = useFrozenText(work)
  const notVisible = work === undefined && error?.failure === "not-visible" ? error : undefined
  return (
    <div className={styles["detail"]}>
      <PageTitle title={(shown ?? notVisible)?.title ?? "Work"} />
      <div className={styles["reading"]}>
        <div className={styles["top"]}>
          <nav aria-label="Breadcrumb" className={styles["crumb"]}>
            <Link to="/work">Work</Link>
            <span aria-hidden="true">/</span>
          </nav>
          {work && !isUnread && <WorkActions work={work} events={() => exportedEvents(activity)} />}
        </div>
        <div role={notVisible && "alert"}>
          <WorkTitle
            title={(shown ?? notVisible)?.title}
            failure={error === null ? undefined : "This Work can't be read"}
          />
          {notVisible && <NotVisible error={notVisible} />}
        </div>
        {notVisible === undefined && work === undefined && <NotLoaded error={error} onRetry={() => void refetch()} />}
        {work !== undefined && (
          <>
            {isUnread ? <UnreadWork work={work} /> : <WorkMeta work={work} />}
            {error !== null && (
              <div className={styles["callout"]}>
                <ReadError
                  error={error}
                  kept="This page may be out of date. What you typed is kept."
                  compact
                  onRetry={() => void refetch()}
                />
              </div>
            )}
            <WorkChange work={work} textChanged={hasChanged} onShow={showChange} />
            <Regions
              work={work}
              objective={shown?.objective ?? work.objective}
              lastEventAt={lastEventAt}
              shownError={error ?? undefined}
            />
          </>
        )}
      </div>
      {notVisible === undefined && (
        <div className={styles["side"]}>
          <ActivityFeed workId={id} activity={activity} known={known} shownError={error ?? undefined} />
        </div>
      )}
    </div>
  )
}

/** What is known about a Work besides its events. */
function useKnown(id: string, work: Work | undefined): KnownOfWork {
  const enabled = work !== undefined
  const { data: approvals } = useQuery({ ...approvalsOptions(id), enabled })
  const { data: artifacts } = useQuery({ ...artifactsOptions(id), enabled })
  const { data: clarifications } = useQuery({ ...clarificationsOptions(id), enabled })
  const { data: record } = useQuery({ ...workRecordOptions(id), enabled })
  return useMemo(
    () => ({ work, approvals, artifacts, clarifications, record: record?.data, answers: readAnswered(id) }),
    [id, work, approvals, artifacts, clarifications, record],
  )
}

type RegionsProps = {
  work: Work
  objective: string
  lastEventAt: number | undefined
  shownError: DeskError | undefined
}

/** The parts of a Work: open items, results, objective. The results come first where the Work was done when the page was opened. */
function Regions({ work, objective, lastEventAt, shownError }: RegionsProps) {
  const [resultsFirst] = useState(work.status === "done")
  const hashRef = useHashRef()
  const seenRef = useSeenReport(work)
  const results = (
    <>
      {work.completion_summary !== undefined && (
        <div id="result">
          <Section title="Result">
            <Prose text={work.completion_summary} />
          </Section>
        </div>
      )}
      <div id="artifacts">
        <WorkArtifacts workId={work.id} shownError={shownError} />
      </div>
    </>
  )
  return (
    <div ref={hashRef} className={styles["regions"]}>
      <span ref={seenRef} hidden />
      {resultsFirst && results}
      <div id="needs-you">
        <WorkClarifications workId={work.id} lastEventAt={lastEventAt} shownError={shownError} />
      </div>
      <div id="approvals">
        <WorkItems
          title="Approvals"
          variant={approvalVariant}
          workId={work.id}
          lastEventAt={lastEventAt}
          shownError={shownError}
        />
      </div>
      {!resultsFirst && results}
      {unreadOf(work) === undefined && (
        <>
          <div id="objective">
            <Section title="Objective">
              <div className={styles["prose"]}>
                <WrittenText text={objective} />
              </div>
            </Section>
          </div>
          <WorkFacts work={work} />
        </>
      )}
    </div>
  )
}

/** Replaces the facts of a Work that can't be read. */
function UnreadWork({ work }: { work: Work }) {
  return (
    <div className={styles["callout"]}>
      <Callout tone="warn" icon="unknown" compact>
        The service sent this Work in an unreadable format. Its items are shown below.
      </Callout>
      <UnreadDetails of={work} />
    </div>
  )
}

function Prose({ text }: { text: string }) {
  return (
    <div className={styles["prose"]}>
      <OutsideText multiline>{text}</OutsideText>
    </div>
  )
}

/** Shown instead of a Work that is not loaded: placeholders, or why it could not be read. */
function NotLoaded({ error, onRetry }: { error: DeskError | null; onRetry: () => void }) {
  if (error === null)
    return (
      <div aria-busy="true" className={styles["loading"]}>
        <Skeleton width="min(420px, 90%)" />
        <Skeleton width="min(520px, 100%)" />
      </div>
    )
  return (
    <div className={styles["callout"]}>
      <ReadError error={error} compact={false} onRetry={onRetry} />
    </div>
  )
}

/** Below the title of the Problem, instead of a Work that the person can't see: the Problem's detail, and the way out. */
function NotVisible({ error: { detail, requestId } }: { error: DeskError }) {
  return (
    <div className={styles["missing"]}>
      <p>
        <OutsideText multiline>{detail}</OutsideText>
      </p>
      <ButtonLink to="/work" size="small">
        Go to Work
      </ButtonLink>
      {requestId !== undefined && (
        <p className="small soft">
          Request ID <Identifier value={requestId} copyable="Request ID" />
        </p>
      )}
    </div>
  )
}

/** A ref for the parts of a Work. Scrolls to the part in the address, after the first render and when the address changes. */
function useHashRef(): (parts: HTMLElement | null) => void {
  const { hash } = useLocation()
  return useCallback(
    (parts) => {
      if (parts !== null && hash !== "") document.getElementById(hash.slice(1))?.scrollIntoView()
    },
    [hash],
  )
}

function exportedEvents({ received }: Activity): ExportedEvent[] {
  const { events, count } = received.snapshot()
  return events.slice(0, count).map((event) => {
    const { line, happened } = summarise(event)
    return { id: event.id, type: event.type, at: happened?.at ?? new Date(event.receivedAt).toISOString(), line }
  })
}
