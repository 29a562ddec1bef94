/** What the list of Work shows, and how it changes: pure functions, for `use-work-list.ts`. */
import { newsOf, type PageOfWorks, withBeginning } from "./list-pages.ts"

/** One visit to the list. A visit is an entry of the browser's history, so going back finds the list as it was left. */
export type ListState = {
  /** The pages on the screen. The first is a beginning of the list, which may be older than the one that was polled last. */
  readonly pages: readonly PageOfWorks[]
  /** Whether no row moves any more, because the person has touched or scrolled the list. */
  readonly isFrozen: boolean
  /** The beginning from which on new Works are counted: the first answer of the visit, and later what `show new` showed. */
  readonly countedFrom: PageOfWorks | undefined
}

export const OPENED: ListState = { pages: [], isFrozen: false, countedFrom: undefined }

export type ListEvent =
  | {
      /** The beginning was read, or the person has touched the list. `hasAnswer` is false while `page` is from an earlier visit. */
      readonly type: "polled"
      readonly page: PageOfWorks
      readonly hasAnswer: boolean
      readonly touched: "no" | "touched" | "scrolled"
    }
  /** A further page was read. */
  | { readonly type: "more"; readonly page: PageOfWorks }
  /** The person wants the beginning as it is now, in place of the rows. `refreshed` leaves the later pages out. */
  | { readonly type: "show new" | "refreshed"; readonly page: PageOfWorks }

/** The list after an event. */
export function listAfter(state: ListState, event: ListEvent): ListState {
  const { page } = event
  switch (event.type) {
    case "polled": {
      const { hasAnswer, touched } = event
      const rowsStay = state.isFrozen || touched === "scrolled"
      // Somebody who has touched the list before its first answer still gets that answer.
      const isFrozen = rowsStay || (touched === "touched" && hasAnswer)
      const isShown = (!rowsStay || state.pages.length === 0) && state.pages[0] !== page
      const countedFrom = state.countedFrom ?? (hasAnswer && !state.isFrozen ? page : undefined)
      if (!isShown && isFrozen === state.isFrozen && countedFrom === state.countedFrom) return state
      return { pages: isShown ? withBeginning(state.pages, page) : state.pages, isFrozen, countedFrom }
    }
    case "more":
      // The beginning may have been replaced while the page was read.
      return state.pages.at(-1)?.next_cursor === page.cursor ? { ...state, pages: [...state.pages, page] } : state
    case "show new":
      return { ...state, pages: withBeginning(state.pages, page), countedFrom: page }
    case "refreshed":
      return { ...state, pages: [page], countedFrom: page }
  }
}

/** How many Works came since the list was opened: those that wait for `show new`, and those that have rows already. */
export function countNews({ pages, countedFrom }: ListState, polled: PageOfWorks | undefined): number {
  const [beginning] = pages
  const waiting = polled === undefined ? 0 : newsOf(polled, pages).length
  return waiting + (countedFrom && beginning ? newsOf(beginning, [countedFrom]).length : 0)
}
