import { useCallback, useMemo } from "react"
import { useSearchParams } from "../ui/router.tsx"
import type { FeedFilter } from "./feed-filter.ts"

/** The filter and the chosen event. They belong to the address, so that a person can send them to somebody. */
export function useFeedAddress() {
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => filterIn(search), [search])
  const current = search.get("event") ?? undefined
  const setFilter = (next: FeedFilter) => setSearch((before) => withFilter(before, next))
  // The same text for every event, so that no event is rendered again when the address changes to another event.
  const rest = useMemo(() => withoutEvent(search), [search])
  const addressOf = useCallback(
    (event: string) => `?${rest === "" ? "" : `${rest}&`}${new URLSearchParams({ event }).toString()}`,
    [rest],
  )
  return { filter, setFilter, current, addressOf }
}

function withoutEvent(search: URLSearchParams): string {
  const others = new URLSearchParams(search)
  others.delete("event")
  return others.toString()
}

function filterIn(search: URLSearchParams): FeedFilter {
  return { type: search.get("type") ?? "", text: search.get("find") ?? "" }
}

function withFilter(before: URLSearchParams, filter: FeedFilter): URLSearchParams {
  const after = new URLSearchParams(before)
  for (const [name, value] of [
    ["type", filter.type],
    ["find", filter.text],
  ] as const) {
    if (value === "") after.delete(name)
    else after.set(name, value)
  }
  return after
}
