import { useCallback, useState } from "react"
import { useSearchParams } from "react-router"
import type { FeedFilter } from "./feed-filter.ts"

/**
 * Filter and chosen event live in the address, so that they can be sent to somebody. What is typed is kept here as well: the
 * router renders a new address in a transition, which would take the last letters away again.
 */
export function useFeedAddress() {
  const [search, setSearch] = useSearchParams()
  const [filter, keepFilter] = useState<FeedFilter>({ type: search.get("type") ?? "", text: search.get("find") ?? "" })
  const current = search.get("event") ?? undefined
  const setFilter = (next: FeedFilter) => {
    keepFilter(next)
    setSearch((before) => withFilter(before, next), { replace: true, preventScrollReset: true })
  }
  const others = new URLSearchParams(search)
  others.delete("event")
  const rest = others.toString()
  const addressOf = useCallback(
    (event: string) => `?${rest === "" ? "" : `${rest}&`}${new URLSearchParams({ event }).toString()}`,
    [rest],
  )
  return { filter, setFilter, current, addressOf }
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
