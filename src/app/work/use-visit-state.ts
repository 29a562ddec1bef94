import { useCallback, useState } from "react"
import { useLocation } from "react-router"

/** What every visit to the list left behind, by React Router's key of its entry in the history. */
const visits = new Map<string, string>()

/**
 * A text that belongs to the visit, as the scroll position does: the way back finds it again, and another visit begins without it.
 */
export function useVisitState(name: string): readonly [string, (value: string) => void] {
  const visit = `${useLocation().key}/${name}`
  const [state, setState] = useState({ visit, value: visits.get(visit) ?? "" })
  const set = useCallback(
    (value: string) => {
      visits.set(visit, value)
      setState({ visit, value })
    },
    [visit],
  )
  return [state.visit === visit ? state.value : (visits.get(visit) ?? ""), set]
}
