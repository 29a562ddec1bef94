import { useSearchParams } from "react-router"
import type { RecordPage as Page } from "../../contract/desk-work.ts"
import { useDeskMutation } from "../client/desk-queries.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { Callout } from "../ui/callout.tsx"
import { Freshness } from "../ui/freshness.tsx"
import { classes } from "../ui/classes.ts"
import { ErrorAlert, ReadError } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { ListEnd, PlaceholderRows } from "../ui/list-parts.tsx"
import listStyles from "../ui/list.module.css"
import { OutsideText } from "../ui/outside-text.tsx"
import { EmptyState, PageBar } from "../ui/page-parts.tsx"
import { saveFile } from "../ui/save-file.ts"
import { RecordEntryRow } from "./record-entry-row.tsx"
import { RecordFilters } from "./record-filters.tsx"
import { exportRecord, type RecordQuery, recordQueryOf, useRecord } from "./record-queries.ts"
import styles from "./record.module.css"

/** Who did what through this desk, when, and to which version: newest first, filtered by the address. */
export default function RecordPage() {
  const query = recordQueryOf(useSearchParams()[0])
  const { record, refresh } = useRecord(query)
  const entries = record.data?.pages.flatMap(({ data }) => data) ?? []
  const isWhole = record.data?.pages.every(({ complete }) => complete) ?? true
  const { error } = record
  return (
    <>
      <PageBar title="Record">
        <RecordChain chain={record.data?.pages[0]?.chain} isOld={error !== null} />
        <Freshness
          updatedAt={record.data?.pages[0]?.readAt ?? 0}
          refreshing={record.isRefetching}
          onRefresh={() => void refresh()}
        />
        <RecordExport query={query} />
      </PageBar>
      <RecordFilters query={query} />
      {error && !record.isFetchNextPageError && (
        <div className={listStyles["alert"]}>
          <ReadError
            error={error}
            compact={record.data !== undefined}
            {...(record.data !== undefined && { kept: "The entries below stay." })}
            onRetry={() => void refresh()}
          />
        </div>
      )}
      {!isWhole && (
        <div className={listStyles["alert"]}>
          <Callout tone="warn" icon="warning" announce="status">
            Some entries are missing: the desk could not find out from the service whether you see their Work. Reload
            the page to try again.
          </Callout>
        </div>
      )}
      {record.isPending && !error && <PlaceholderRows what="the record" />}
      {record.isSuccess && isWhole && entries.length === 0 && <Empty isFiltered={Object.keys(query).length > 0} />}
      {entries.length > 0 && (
        <>
          <ul className={styles["rows"]} aria-label="Entries">
            {entries.map((entry) => (
              <li key={entry.sequence}>
                <RecordEntryRow entry={entry} />
              </li>
            ))}
          </ul>
          <ListEnd
            more={{
              exists: record.hasNextPage,
              loading: record.isFetchingNextPage,
              error: record.isFetchNextPageError ? error : null,
            }}
            onMore={() => void record.fetchNextPage({ cancelRefetch: false })}
          >
            This is the beginning of the record.
          </ListEnd>
        </>
      )}
    </>
  )
}

function Empty({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyState title="The record is empty">
        Each approval, answer, new Work and upload that is sent through this desk appears here, with the person, the
        version and the outcome.
      </EmptyState>
    )
  return (
    <EmptyState title="No entry matches" action={<ButtonLink to="/record">Show the whole record</ButtonLink>}>
      No entry of the record has all of these properties.
    </EmptyState>
  )
}

/** This many characters of the head are shown. The tooltip has the whole hash. */
const HASH_CHARACTERS = 8

/** Whether the chain of hashes over the record was complete when the desk last checked it. `isOld`: the desk has not answered since. */
function RecordChain({ chain, isOld }: { chain: Page["chain"]; isOld: boolean }) {
  if (chain === undefined) return null
  const { complete, rows, head } = chain
  const count = `${rows.toLocaleString()} ${rows === 1 ? "row" : "rows"}`
  return (
    <span className={classes(styles["chain"], !complete && styles["broken"], isOld && styles["old"])}>
      <Icon name={!complete ? "warning" : isOld ? "unknown" : "done"} size={15} />{" "}
      {complete ? (isOld ? "Chain was complete" : "Chain complete") : "Chain broken"}, {count}
      {head !== "" && (
        <>
          , head{" "}
          <span className="mono" title={head}>
            <OutsideText>{head.slice(0, HASH_CHARACTERS)}</OutsideText>
            {head.length > HASH_CHARACTERS && "…"}
          </span>
        </>
      )}
    </span>
  )
}

/** Saves everything that matches the filters as JSON Lines. */
function RecordExport({ query }: { query: RecordQuery }) {
  const save = useDeskMutation(() => exportRecord(query), {
    onDone: (content) => saveFile(content, `workdesk-record-${new Date().toISOString().slice(0, 10)}.jsonl`),
  })
  return (
    <>
      <Button inactive={save.isPending} onClick={() => save.mutate()}>
        {save.isPending ? "Reading the record" : "Export JSON Lines"}
      </Button>
      <ErrorAlert error={save.error} compact />
    </>
  )
}
