import { useSearchParams } from "../ui/router.tsx"
import { Button, ButtonLink } from "../ui/button.tsx"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { ListEnd } from "../ui/list-end.tsx"
import { PlaceholderRows } from "../ui/list-parts.tsx"
import listStyles from "../ui/list.module.css"
import { EmptyState, PageBar } from "../ui/page-parts.tsx"
import { RecordChain } from "./record-chain.tsx"
import { RecordEntryRow } from "./record-entry-row.tsx"
import { RecordExport } from "./record-export.tsx"
import { RecordFilters } from "./record-filters.tsx"
import { useRecord, recordQueryOf } from "./record-queries.ts"
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
        <div className={listStyles["alert"]}>
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
      {record.isPending && !error && <PlaceholderRows what="the record" />}
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
        <ListEnd
          more={{
            exists: record.hasNextPage,
            loading: record.isFetchingNextPage,
            error: record.isFetchNextPageError ? error : null,
            errorAt: record.errorUpdatedAt,
          }}
          onMore={() => void record.fetchNextPage({ cancelRefetch: false })}
        >
          This is the beginning of the record.
        </ListEnd>
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
