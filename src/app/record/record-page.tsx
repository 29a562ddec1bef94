import { Link, useNavigate, useSearchParams } from "react-router"
import type { RecordPage as Page } from "../../contract/desk-work.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { Callout } from "../ui/callout.tsx"
import { EmptyState, Freshness, PageBar } from "../ui/page-parts.tsx"
import { classes } from "../ui/classes.ts"
import { ErrorAlert, ReadError } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { Choice } from "../ui/list-fields.tsx"
import { ListEnd, PlaceholderRows } from "../ui/list-parts.tsx"
import listStyles from "../ui/list.module.css"
import { OutsideText } from "../ui/outside-text.tsx"
import { saveFile } from "../ui/save-file.ts"
import { operationNames, outcomeNames, RecordEntryRow } from "./record-entry-row.tsx"
import {
  exportRecord,
  recordAddress,
  type RecordQuery,
  recordQueryOf,
  useKnownPeople,
  useRecord,
} from "./record-queries.ts"
import styles from "./record.module.css"
import { useId, useState } from "react"
import { useSession } from "../client/session.ts"
import { Identifier } from "../ui/copy-button.tsx"

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

/** The filters. They change the address of the page, which chooses the entries. */
export function RecordFilters({ query }: { query: RecordQuery }) {
  const navigate = useNavigate()
  const own = useSession()?.person
  const people = new Map([...(own ? [[own.id, own.name] as const] : []), ...useKnownPeople()])
  const choose = (change: Parameters<typeof recordAddress>[1]) => void navigate(recordAddress(query, change))
  const filters = [
    { filter: "person", name: "Person", none: "Everybody", choices: [...people] },
    { filter: "operation", name: "Operation", none: "Everything", choices: operationNames },
    { filter: "outcome", name: "Outcome", none: "Any outcome", choices: outcomeNames },
  ] as const
  return (
    <div className={listStyles["controls"]}>
      {filters.map(({ filter, ...choice }) => (
        <Choice key={filter} {...choice} value={query[filter]} onChange={(value) => choose({ [filter]: value })} />
      ))}
      <WorkField work={query.work ?? ""} onChoose={(work) => choose({ work })} />
      {query.item !== undefined && (
        <span className={listStyles["control"]}>
          <span>
            Only the item <Identifier value={query.item} />
          </span>
          <Link to={recordAddress(query, { item: undefined })} className="underlined">
            Show every item
          </Link>
        </span>
      )}
      {Object.keys(query).length > 0 && (
        <ButtonLink kind="plain" to="/record">
          Clear
        </ButtonLink>
      )}
    </div>
  )
}

/** A field for the id of a Work. It takes effect at Enter, or when the person leaves the field. */
function WorkField({ work, onChoose }: { work: string; onChoose: (work: string) => void }) {
  const id = useId()
  const [text, setText] = useState(work)
  const [shown, setShown] = useState(work)
  if (shown !== work) {
    setShown(work)
    setText(work)
  }
  const apply = () => text.trim() !== work && onChoose(text.trim())
  return (
    <form
      className={listStyles["control"]}
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <label htmlFor={id}>Work</label>
      <input
        id={id}
        type="text"
        placeholder="Id of the Work"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
      />
    </form>
  )
}
