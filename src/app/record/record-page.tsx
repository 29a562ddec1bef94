import { useNavigate, useSearchParams } from "react-router"
import type { RecordEntry, RecordPage as Page } from "../../contract/desk-work.ts"
import { useDeskMutation } from "../client/desk-writes.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { CopyButton } from "../ui/copy-button.tsx"
import { Callout } from "../ui/callout.tsx"
import { EmptyState, Freshness, PageBar } from "../ui/page-parts.tsx"
import { classes } from "../ui/classes.ts"
import { ErrorAlert, ReadError } from "../ui/error-alert.tsx"
import { Icon } from "../ui/icon.tsx"
import { activeFilter, FiltersPanel } from "../ui/filters-panel.tsx"
import { Choice } from "../ui/list-fields.tsx"
import { ListEnd, PlaceholderRows } from "../ui/list-parts.tsx"
import listStyles from "../ui/list.module.css"
import { writeHidden } from "../ui/hidden-characters.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import { plural } from "../../contract/plural.ts"
import { saveFile } from "../ui/save-file.ts"
import { useHistoryState } from "../ui/history-state.ts"
import { useRowKeys } from "../ui/row-keys.ts"
import { VirtualList } from "../ui/virtual-list.tsx"
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
import { type ComponentProps, useCallback, useId, useMemo, useState } from "react"
import { useSession } from "../client/session.ts"

/** Who did what through this desk, when, and to which version: newest first, filtered by the address. */
export default function RecordPage() {
  const query = recordQueryOf(useSearchParams()[0])
  const { pages, error, refreshing, refresh, more, onVisibleRows } = useRecord(query)
  const [newest] = pages ?? []
  const isWhole = pages?.every(({ complete }) => complete) ?? true
  const entries = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages])
  return (
    <>
      <PageBar title="Record">
        <RecordChain chain={newest?.chain} isOld={error !== null} />
        <Freshness updatedAt={newest?.readAt ?? 0} refreshing={refreshing} onRefresh={refresh} />
      </PageBar>
      <RecordFilters query={query} />
      {error && (
        <div className={listStyles["alert"]}>
          <ReadError
            error={error}
            compact={pages !== undefined}
            {...(pages !== undefined && { kept: "The list below may be out of date." })}
            onRetry={refresh}
          />
        </div>
      )}
      {!isWhole && (
        <div className={listStyles["alert"]}>
          <Callout tone="warn" icon="warning" announce="status">
            Some entries are missing, because Workdesk couldn't check your access to the Work they belong to. Reload the
            page.
          </Callout>
        </div>
      )}
      {pages === undefined && !error && <PlaceholderRows what="the record" />}
      {pages !== undefined && isWhole && entries.length === 0 && <Empty isFiltered={Object.keys(query).length > 0} />}
      <Entries entries={entries} onVisibleRows={onVisibleRows} onEnd={more.load} />
      {entries.length > 0 && (
        <ListEnd more={more} onMore={more.load}>
          Beginning of the record
        </ListEnd>
      )}
    </>
  )
}

/** The expected height of a closed row in pixels. */
const ROW_HEIGHT = 49

type EntriesProps = {
  entries: readonly RecordEntry[]
  onVisibleRows: (first: number, last: number) => void
  onEnd: () => void
}

/** The rows, and their keys. Going back to the page finds the chosen row and the open rows as they were left. */
function Entries({ entries, onVisibleRows, onEnd }: EntriesProps) {
  const keys = useMemo(() => entries.map(({ sequence }) => String(sequence)), [entries])
  const [chosen, changeChosen] = useHistoryState<string | undefined>("chosen", undefined)
  const [opened, changeOpened] = useHistoryState("opened", NONE)
  const choose = useCallback((key: string) => changeChosen(() => key), [changeChosen])
  const toggle = useCallback(
    (key: string) => changeOpened((before) => before.symmetricDifference(new Set([key]))),
    [changeOpened],
  )
  const { onKeyDown } = useRowKeys({ keys, chosen, choose, onEnd, focusesFirst: true })
  if (keys.length === 0) return null
  return (
    // The rows have the focus. This element handles the keys that bubble up from them.
    <div role="presentation" onKeyDown={onKeyDown}>
      <VirtualList
        label="Entries"
        className={styles["rows"]}
        keys={keys}
        kept={chosen}
        heightOf={() => ROW_HEIGHT}
        onVisibleRows={onVisibleRows}
        staysInPlace
      >
        {(index) => {
          const [entry, key] = [entries[index], keys[index]]
          return (
            entry !== undefined &&
            key !== undefined && (
              <RecordEntryRow
                row={key}
                entry={entry}
                isChosen={key === chosen}
                isOpen={opened.has(key)}
                onChoose={choose}
                onToggle={toggle}
              />
            )
          )
        }}
      </VirtualList>
    </div>
  )
}

const NONE: ReadonlySet<string> = new Set()

function Empty({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <EmptyState title="The record is empty">
        Each action at this desk appears here, with the person who took it and the outcome.
      </EmptyState>
    )
  return <EmptyState title="No entries match">Try different filters.</EmptyState>
}

/** This many characters of the head are shown. The tooltip has the whole hash. */
const HASH_CHARACTERS = 8

/** The id in a verifier key. The tooltip has the whole key. */
const KEY_ID = /^[^+]*\+([0-9a-f]{8})\+/

/** Whether the chain of hashes over the record was complete when the desk last checked it. `isOld`: the desk has not answered since. */
function RecordChain({ chain, isOld }: { chain: Page["chain"]; isOld: boolean }) {
  if (chain === undefined) return null
  const { complete, rows, head, key } = chain
  const count = plural(rows, "row")
  return (
    <span className={classes(styles["chain"], !complete && styles["broken"], isOld && styles["old"])}>
      <Icon name={!complete ? "warning" : isOld ? "unknown" : "done"} size={15} />{" "}
      {complete ? (isOld ? "Chain complete at last check" : "Chain complete") : "Chain broken"}, {count}
      {head !== "" && (
        <>
          , head{" "}
          <span className="mono" title={writeHidden(head)}>
            <OutsideText>{head.slice(0, HASH_CHARACTERS)}</OutsideText>
            {head.length > HASH_CHARACTERS && "…"}
          </span>
        </>
      )}
      {key !== undefined && (
        <>
          , key{" "}
          <span className="mono" title={writeHidden(key)}>
            <OutsideText>{KEY_ID.exec(key)?.[1] ?? ""}</OutsideText>
          </span>{" "}
          <CopyButton what="public key" text={key} />
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
      <Button size="small" inactive={save.isPending} onClick={() => save.mutate()}>
        {save.isPending ? "Exporting…" : "Export JSON Lines"}
      </Button>
      <ErrorAlert error={save.error} compact />
    </>
  )
}

const ReportDialog = part("Report", async () => (await import("./report-dialog.tsx")).ReportDialog)

/** The button that opens the dialog for a report. */
function RecordReport(props: Omit<ComponentProps<typeof ReportDialog>, "onClose">) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        Report…
      </Button>
      {isOpen && <ReportDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  )
}

/** The filters. They change the address of the page, which chooses the entries. */
function RecordFilters({ query }: { query: RecordQuery }) {
  const navigate = useNavigate()
  const own = useSession()?.person
  const people = new Map([...(own ? [[own.id, own.name] as const] : []), ...useKnownPeople()])
  const choose = (change: Parameters<typeof recordAddress>[1]) => void navigate(recordAddress(query, change))
  const filters = [
    { filter: "person", name: "Person", none: "Everybody", choices: [...people] },
    { filter: "operation", name: "Operation", none: "Everything", choices: operationNames },
    { filter: "outcome", name: "Outcome", none: "Any outcome", choices: outcomeNames },
    { filter: "work", name: "Work", choices: [] },
    { filter: "item", name: "Item", choices: [] },
  ] as const
  const active = filters.flatMap(({ filter, name, choices }) =>
    activeFilter<string>(name, query[filter], choices, () => choose({ [filter]: undefined })),
  )
  return (
    <FiltersPanel
      active={active}
      action={
        <div className={styles["actions"]}>
          {Object.keys(query).length > 0 && (
            <ButtonLink kind="plain" size="small" to="/record">
              Clear filters
            </ButtonLink>
          )}
          <RecordReport query={query} filters={active} />
          <RecordExport query={query} />
        </div>
      }
    >
      {filters.map(
        ({ filter, ...choice }) =>
          "none" in choice && (
            <Choice key={filter} {...choice} value={query[filter]} onChange={(value) => choose({ [filter]: value })} />
          ),
      )}
      <WorkField work={query.work ?? ""} onChoose={(work) => choose({ work })} />
    </FiltersPanel>
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
        placeholder="Work ID"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
      />
    </form>
  )
}
