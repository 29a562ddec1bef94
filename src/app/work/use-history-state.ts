import { useCallback, useState } from "react"
import { useLocation } from "react-router"

/** The values that are kept for each entry of the browser's history, by React Router's key of the entry. */
const kept = new Map<string, unknown>()

/** A value that belongs to an entry of the browser's history, as the scroll position does. A new entry begins with `initial`. */
export function useHistoryState<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const entry = `${useLocation().key}/${name}`
  const [, render] = useState({})
  const set = useCallback(
    (value: Value) => {
      kept.set(entry, value)
      render({})
    },
    [entry],
  )
  return [kept.has(entry) ? (kept.get(entry) as Value) : initial, set]
}
