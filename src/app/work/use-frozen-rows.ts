import { useLayoutEffect } from "react"
import { useTouched } from "../inbox/use-touched.ts"
import type { PageOfWorks } from "./list-pages.ts"
import { useHistoryState } from "./use-history-state.ts"

/**
 * - `following`: each polled beginning is shown. The person has not touched the page, or the first answer of the visit has not come.
 * - `freezing`: the person has touched the page. The newest beginning is shown, and no later one.
 * - `frozen`: the rows stay, as the person scrolled to them, or as the person left them before going back.
 */
type RowsState = "following" | "freezing" | "frozen"

type Beginnings = {
  /** The beginning of the list that was polled last, from the cache until the first answer of the visit has come. */
  readonly polled: PageOfWorks | undefined
  /** Whether the first answer of the visit has come. */
  readonly hasAnswer: boolean
  /** The beginning whose rows are on the screen. */
  readonly shownBeginning: PageOfWorks | undefined
  readonly showBeginning: (page: PageOfWorks) => void
}

/**
 * Shows each polled beginning of the list until the rows are frozen, so that no row moves under the person's hand.
 *
 * @returns whether the rows are frozen, at this entry of the browser's history
 */
export function useFrozenRows({ polled, hasAnswer, shownBeginning, showBeginning }: Beginnings): boolean {
  const [isFrozen, setIsFrozen] = useHistoryState("isFrozen", false)
  const isTouched = useTouched()
  useLayoutEffect(() => {
    if (polled === undefined) return
    const state = rowsState({ isFrozen, isTouched, hasAnswer })
    // Where the pages of a frozen list have left the cache, there are no rows to keep.
    const isWanted = state !== "frozen" || shownBeginning === undefined
    if (isWanted && polled !== shownBeginning) showBeginning(polled)
    if (state !== "following" && !isFrozen) setIsFrozen(true)
  }, [isFrozen, setIsFrozen, isTouched, hasAnswer, polled, shownBeginning, showBeginning])
  return isFrozen
}

function rowsState(now: { isFrozen: boolean; isTouched: boolean; hasAnswer: boolean }): RowsState {
  const isScrolled = now.isTouched && scrollY > 0
  if (now.isFrozen || isScrolled) return "frozen"
  return now.isTouched && now.hasAnswer ? "freezing" : "following"
}
