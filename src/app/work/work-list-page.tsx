import { useCallback, useMemo } from "react"
import { Link, useNavigate, useSearchParams } from "react-router"
import { STATUSES } from "../../contract/work-order.ts"
import { useSession } from "../client/session.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { focusTitle, Freshness, PageBar } from "../ui/page-parts.tsx"
import { FindField } from "../ui/list-fields.tsx"
import { ListEnd, PlaceholderRows } from "../ui/list-parts.tsx"
import listStyles from "../ui/list.module.css"
import { ReadError } from "../ui/error-alert.tsx"
import { formatUnread } from "../../contract/plural.ts"
import { useHistoryState } from "../ui/history-state.ts"
import { useRowKeys } from "../ui/row-keys.ts"
import { statusWord } from "../ui/status.tsx"
import { EmptyList, ListControls } from "./list-controls.tsx"
import { addressOfList, isFiltered, isNarrowed, queryOf, readListQuery, type WantedList } from "./list-order.ts"
import { useWorkList } from "./use-work-list.ts"
import styles from "./work-list.module.css"
import { WorkRows } from "./work-rows.tsx"

/** A list with more rows says at its end that all are shown. The end of a shorter list is plain to see. */
const SHORT_ROWS = 50

/** The choices of the status filter. `All` has no status. */
const filterChoices = [undefined, ...STATUSES]

/** The list of Work, filtered, grouped and sorted by the address. Open Work comes before done Work. */
export default function WorkListPage() {
  const [search] = useSearchParams()
  const wanted = useMemo(() => readListQuery(search), [search])
  const navigate = useNavigate()
  // The entry of the history is replaced, so that going back leaves the list.
  const change = (changed: WantedList) => void navigate(addressOfList({ ...wanted, ...changed }), { replace: true })
  const list = useWorkList(wanted)
  const loadMore = list.more.load
  const [selectedId, changeSelected] = useHistoryState("selected", "")
  const select = useCallback((id: string) => changeSelected(() => id), [changeSelected])
  const rowKeys = useRowKeys({
    keys: list.rows.map(({ id }) => id),
    chosen: selectedId === "" ? undefined : selectedId,
    choose: select,
    onEnd: loadMore,
    focusesFirst: true,
  })
  const isEmbedded = useSession()?.upstream === "embedded"
  const isLookingInDone = list.rows.length === 0 && list.more.exists && !list.more.isFruitless

  // There is nothing to filter before the first Work.
  const isDeskEmpty = queryOf(wanted) === "" && list.coverage?.complete === true && list.isEmpty

  return (
    <>
      <PageBar title="Work">
        <Freshness updatedAt={list.updatedAt} refreshing={list.refreshing} onRefresh={() => void list.refresh()} />
        <ButtonLink to="/work/new" kind="primary">
          New Work
        </ButtonLink>
      </PageBar>
      {!isDeskEmpty && (
        <>
          <div className={styles["filter"]}>
            <nav aria-label="Status">
              {filterChoices.map((status) => (
                <Link
                  key={status ?? "all"}
                  to={addressOfList({ ...wanted, status })}
                  className={styles["choice"]}
                  aria-current={status === wanted.status ? "true" : undefined}
                >
                  {status === undefined ? "All" : statusWord(status)}
                </Link>
              ))}
            </nav>
            <FindField
              name="Find"
              words={wanted.q ?? ""}
              pauseMs={200}
              onWords={(q) => change({ q: q.trim() === "" ? undefined : q })}
              onEnter={rowKeys.first}
            />
          </div>
          <ListControls
            wanted={wanted}
            colleagues={list.coverage?.colleagues ?? []}
            delegators={list.delegators}
            onChange={change}
          />
        </>
      )}
      <div className={styles["news"]} aria-live="polite">
        {list.news > 0 && (
          <Button
            kind="primary"
            onClick={() => {
              list.showNew()
              scrollTo({ top: 0 })
              focusTitle()
            }}
          >
            {list.news} new
          </Button>
        )}
      </div>
      {!list.loading && !isDeskEmpty && <Coverage wanted={wanted} list={list} />}
      {list.error && (
        <div className={listStyles["alert"]}>
          <ReadError
            error={list.error}
            compact={!list.loading}
            kept={list.loading ? undefined : "The list below may be out of date."}
            onRetry={() => void list.refresh()}
          />
        </div>
      )}
      {list.loading || isLookingInDone ? (
        !list.error && !list.more.error && <PlaceholderRows what="Work" />
      ) : list.rows.length === 0 ? (
        <EmptyList wanted={wanted} offersSample={isEmbedded} />
      ) : (
        // The links have the focus. This element handles the keys that bubble up from them.
        <div role="presentation" onKeyDown={rowKeys.onKeyDown}>
          <WorkRows
            rows={list.rows}
            open={list.open}
            delegated={list.delegated}
            group={wanted.group}
            selectedId={selectedId}
            onSelect={select}
            onVisibleRows={list.onVisibleRows}
          />
        </div>
      )}
      {!list.loading && (
        <ListEnd more={list.more} moreAfterNothing="Load more done Work" onMore={loadMore}>
          {list.rows.length > SHORT_ROWS && <span>All {list.rows.length} shown</span>}
        </ListEnd>
      )}
    </>
  )
}

type List = ReturnType<typeof useWorkList>

/** How much of the Work the list has looked at, and how much of that matches. */
function Coverage({ wanted, list }: { wanted: WantedList; list: List }) {
  const unread = list.unread > 0 ? formatUnread(list.unread) : undefined
  const parts = [formatOpenCount(wanted, list.coverage), formatDoneCount(wanted, list), unread].filter(
    (part) => part !== undefined,
  )
  return (
    <p className={styles["found"]} aria-live="polite">
      {parts.join(", ")}
    </p>
  )
}

/** "40 open", "3 of 40 open", "12 open so far". */
function formatOpenCount(wanted: WantedList, coverage: List["coverage"]): string | undefined {
  if (coverage === undefined) return undefined
  const { total, of, complete } = coverage
  if (of === 0 && complete) return "No open Work"
  const open = isFiltered(wanted) ? `${total} of ${of} open` : `${of} open`
  return complete ? open : `${open} so far`
}

/** "60 done", "3 of 60 done"; with a plus while more can be loaded: "50+ done". */
function formatDoneCount(wanted: WantedList, { doneLoaded, open, rows, more }: List): string | undefined {
  if (doneLoaded === 0) return undefined
  const loaded = `${doneLoaded}${more.exists ? "+" : ""} done`
  return isNarrowed(wanted) ? `${rows.length - open} of ${loaded}` : loaded
}
