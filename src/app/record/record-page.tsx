import { useSearchParams } from "../ui/router.tsx"
import { Button, ButtonLink } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { EmptyState, PageBar } from "../ui/page-parts.tsx"
import { Skeleton } from "../ui/skeleton.tsx"
import { RecordChain } from "./record-chain.tsx"
import { RecordEnd } from "./record-end.tsx"
import { RecordEntryRow } from "./record-entry-row.tsx"
import { RecordExport } from "./record-export.tsx"
import { RecordFilters } from "./record-filters.tsx"
import { useRecord } from "./record-queries.ts"
import { recordQueryOf } from "./record-query.ts"
import styles from "./record.module.css"

/** Who did what through this desk, when, and to which version: newest first, filtered by the address. */
export default function RecordPage() {
  const query = recordQueryOf(useSearchParams()[0])
  const record = useRecord(query)
  const entries = record.data?.pages.flatMap(({ data }) => data) ?? []
  const isFiltered = Object.keys(query).length > 0
  const { error } = record
  return (
    <>
      <PageBar title="Record">
        <RecordChain chain={record.data?.pages[0]?.chain} />
        <RecordExport query={query} />
      </PageBar>
      <RecordFilters query={query} />
      {error && !record.isFetchNextPageError && (
        <div className={styles["alert"]}>
          <ErrorAlert
            error={error}
            retryAt={error.retryAt}
            compact={record.data !== undefined}
            {...(record.data !== undefined && { kept: "The entries below stay." })}
            {...(error.retryAt === undefined && {
              action: <Button onClick={() => void record.refetch()}>Try again</Button>,
            })}
          />
        </div>
      )}
      {record.isPending && !error && <Placeholders />}
      {record.isSuccess && entries.length === 0 && <Empty isFiltered={isFiltered} />}
      {entries.length > 0 && (
        <ul className={styles["rows"]} aria-label="Entries">
          {entries.map((entry) => (
            <li key={String(entry.sequence)}>
              <RecordEntryRow entry={entry} />
            </li>
          ))}
        </ul>
      )}
      {entries.length > 0 && (
        <RecordEnd
          hasMore={record.hasNextPage}
          isLoading={record.isFetchingNextPage}
          error={record.isFetchNextPageError ? error : null}
          onMore={() => void record.fetchNextPage({ cancelRefetch: false })}
        />
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

function Placeholders() {
  return (
    <div aria-busy="true">
      <span className="visually-hidden">Loading the record</span>
      {["62%", "48%", "70%", "55%", "66%", "50%"].map((width) => (
        <div key={width} className={styles["placeholder"]}>
          <Skeleton width="110px" />
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  )
}
