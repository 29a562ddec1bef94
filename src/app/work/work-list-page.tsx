import { lazy, Suspense, useRef } from "react"
import { useSearchParams } from "react-router"
import { useSession } from "../client/session.ts"
import { Button, ButtonLink } from "../ui/button.tsx"
import { EmptyState } from "../ui/empty-state.tsx"
import { Link } from "../ui/link.tsx"
import { PageBar } from "../ui/page-bar.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { Freshness } from "./freshness.tsx"
import { ListEnd } from "./list-end.tsx"
import { ReadError } from "./read-error.tsx"
import { useSelection } from "./use-selection.ts"
import { useVisitState } from "./use-visit-state.ts"
import { useWorkList } from "./use-work-list.ts"
import { choiceOf, filterChoices } from "./work-filter.ts"
import { findIn } from "./work-find.ts"
import styles from "./work-list.module.css"
import { WorkRows } from "./work-rows.tsx"

const TrySample = lazy(async () => ({ default: (await import("../new-work/try-sample.tsx")).TrySample }))

/** All Work, newest first, filtered by status in the address. */
export default function WorkListPage() {
  const choice = choiceOf(useSearchParams()[0])
  const list = useWorkList(choice?.status)
  const [find, setFind] = useVisitState("find")
  const field = useRef<HTMLInputElement>(null)
  const found = findIn(list.rows, find)
  const finding = find.trim() !== ""
  const loadMore = () => {
    if (list.more.exists && !list.more.loading) void list.more.load()
  }
  const selection = useSelection(
    found.map(({ id }) => id),
    finding ? () => {} : loadMore,
  )
  useShortcuts({ "/": () => field.current?.select() })
  const news = list.pending.length
  const offersSample = useSession()?.upstream === "embedded"

  return (
    <>
      <PageBar title="Work">
        <Freshness updatedAt={list.updatedAt} refreshing={list.refreshing} onRefresh={() => void list.refresh()} />
        <ButtonLink to="/work/new" kind="primary">
          New Work
        </ButtonLink>
      </PageBar>
      <div className={styles["filter"]}>
        <nav aria-label="Status">
          {filterChoices.map(({ status, name }) => (
            <Link
              key={name}
              to={status === undefined ? "/work" : `/work?status=${status}`}
              className={styles["choice"]}
              aria-current={status === choice?.status ? "true" : undefined}
            >
              {name}
            </Link>
          ))}
        </nav>
        <input
          ref={field}
          type="search"
          className={styles["find"]}
          aria-label="Find"
          placeholder="Find in what is loaded   /"
          value={find}
          onChange={(event) => setFind(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setFind("")
            else if (event.key === "Enter" || event.key === "ArrowDown") selection.selectFirst()
            else return
            event.preventDefault()
          }}
        />
      </div>
      <div className={styles["news"]} aria-live="polite">
        {news > 0 && (
          <Button
            kind="primary"
            onClick={() => {
              void list.showNew()
              scrollTo({ top: 0 })
              document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true })
            }}
          >
            {news}
            {list.pendingMore && "+"} new
          </Button>
        )}
      </div>
      {finding && (
        <div className={styles["found"]}>
          <span aria-live="polite">
            Found {found.length} in {list.more.exists ? `${list.rows.length} loaded` : `all ${list.rows.length}`}
          </span>
          {list.more.exists && (
            <Button size="small" disabled={list.more.loading} onClick={loadMore}>
              Load more
            </Button>
          )}
        </div>
      )}
      {list.error && (
        <div className={styles["alert"]}>
          <ReadError
            error={list.error}
            errorAt={list.errorAt}
            compact={!list.loading}
            {...(!list.loading && { kept: "The list stays as it was read last." })}
            onRetry={() => void list.refresh()}
          />
        </div>
      )}
      {list.loading ? (
        !list.error && <Placeholders />
      ) : list.rows.length === 0 ? (
        choice && (
          <EmptyState
            title={choice.empty.title}
            action={
              <>
                <ButtonLink to="/work/new" kind="primary">
                  New Work
                </ButtonLink>
                {offersSample && choice.status === undefined && (
                  <Suspense>
                    <TrySample />
                  </Suspense>
                )}
              </>
            }
          >
            {choice.empty.words}
          </EmptyState>
        )
      ) : (
        // The keys belong to the links inside; the list only hears them pass.
        <div role="presentation" onKeyDown={selection.onKeyDown}>
          <WorkRows rows={found} selectedId={selection.selectedId} onOpen={selection.select} />
        </div>
      )}
      {!list.loading && <ListEnd more={list.more} automatic={!finding} onMore={loadMore} shown={list.rows.length} />}
    </>
  )
}

function Placeholders() {
  return (
    <div aria-busy="true">
      <span className="visually-hidden">Loading Work</span>
      {["62%", "48%", "70%", "55%", "40%", "66%", "50%", "58%"].map((width) => (
        <div key={width} className={styles["placeholder"]}>
          <Skeleton width="84px" />
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  )
}
