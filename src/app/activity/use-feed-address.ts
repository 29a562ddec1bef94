import { useCallback, useMemo, useState } from "react"
import { NavigationType, useLocation, useNavigationType, useSearchParams } from "react-router"
import type { FeedFilter } from "./feed-filter.ts"

/**
 * The filter and the chosen event, which belong to the address so that a person can send them to somebody. What is typed is kept
 * as state too, because React Router renders a new address in a transition and a field would lose its last letters. Our own
 * changes replace the address; any other navigation, such as Back, brings the filter of its address.
 */
export function useFeedAddress() {
  const [search, setSearch] = useSearchParams()
  const { key } = useLocation()
  const navigation = useNavigationType()
  const [{ filter, location }, keep] = useState({ filter: filterIn(search), location: key })
  if (location !== key)
    keep({ filter: navigation === NavigationType.Replace ? filter : filterIn(search), location: key })

  const current = search.get("event") ?? undefined
  const setFilter = (next: FeedFilter) => {
    keep({ filter: next, location: key })
    setSearch((before) => withFilter(before, next), { replace: true, preventScrollReset: true })
  }
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
