import { useCallback, useMemo } from "react"
import { useSearchParams } from "react-router"
import type { FeedFilter } from "./feed-filter.ts"

/** The filter, the view and the chosen event. They belong to the address, so that a person can send them to somebody. */
export function useFeedAddress() {
  const [search, setSearch] = useSearchParams()
  const [type, text] = [search.get("type") ?? "", search.get("find") ?? ""]
  const current = search.get("event") ?? undefined
  const filter = useMemo(() => ({ type, text }), [type, text])
  const setFilter = (next: FeedFilter) =>
    setSearch((before) => withValues(before, { type: next.type, find: next.text }), { replace: true })
  // The same text for every event, so that no row is rendered again when the address changes to another event.
  const rest = withValues(search, { event: "", activity: "" }).toString()
  const addressOf = useCallback((event: string) => `?${withValues(new URLSearchParams(rest), { event })}`, [rest])
  return {
    filter,
    setFilter,
    // The address of an event opens the raw list, because a step would hide the event in its fold.
    isRaw: current !== undefined || search.get("activity") === "raw",
    addressOfView: (view: "Steps" | "Raw") =>
      `?${withValues(search, { event: "", activity: view === "Raw" ? "raw" : "" })}`,
    current,
    addressOf,
  }
}

/** The query with these values. An empty value is left out. */
function withValues(before: URLSearchParams, values: Readonly<Record<string, string>>): URLSearchParams {
  const after = new URLSearchParams(before)
  for (const [name, value] of Object.entries(values)) {
    if (value === "") after.delete(name)
    else after.set(name, value)
  }
  return after
}
