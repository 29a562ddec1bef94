import { useCallback, useState } from "react"
import { useLocation } from "react-router"

/** The texts that are kept for each entry of the browser's history, by React Router's key of the entry. */
const kept = new Map<string, string>()

/** A text that belongs to an entry of the browser's history, as the scroll position does. A new entry begins with an empty text. */
export function useHistoryState(name: string): readonly [string, (value: string) => void] {
  const entry = `${useLocation().key}/${name}`
  const [state, setState] = useState({ entry, value: kept.get(entry) ?? "" })
  const set = useCallback(
    (value: string) => {
      kept.set(entry, value)
      setState({ entry, value })
    },
    [entry],
  )
  return [state.entry === entry ? state.value : (kept.get(entry) ?? ""), set]
}
