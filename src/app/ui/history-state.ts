import { useCallback, useState } from "react"
import { useLocation } from "react-router"

/** The values that are kept for each entry of the browser's history, by React Router's key of the entry. */
const kept = new Map<string, unknown>()
/** The oldest values are forgotten, because a list may be long. */
const KEPT_MAX = 40

/** A value that belongs to an entry of the browser's history, as the scroll position does. A new entry begins with `initial`. */
export function useHistoryState<Value>(name: string, initial: Value) {
  const entry = `${useLocation().key}/${name}`
  const [, render] = useState({})
  const update = useCallback(
    (change: (before: Value) => Value) => {
      const before = kept.has(entry) ? (kept.get(entry) as Value) : initial
      const value = change(before)
      if (value === before) return
      kept.delete(entry)
      kept.set(entry, value)
      const [oldest] = kept.keys()
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
      render({})
    },
    [entry, initial],
  )
  return [kept.has(entry) ? (kept.get(entry) as Value) : initial, update] as const
}
