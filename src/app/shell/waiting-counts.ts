/** How much waits for the person: the numbers in the menu, and the items behind them. */
import { useMemo } from "react"
import type { Approval } from "../../contract/resources.ts"
import { mayDecide, useSession } from "../client/session.ts"
import {
  type Clarification,
  standingOf,
  useIsComplete,
  useWaiting,
  type Waiting,
  waitingError,
  type WaitingItem,
} from "../client/waiting.ts"
import { inboxAddress } from "../inbox/addresses.ts"

/**
 * The items of one inbox. `complete` is false until all Work is checked, `isOld` is true while nothing newer can be received. `aside`: how many the
 * person has set aside, not part of `count`.
 */
export type WaitingCount = {
  count: number
  complete: boolean
  isOld?: boolean
  aside?: number
}

/** The counts of both inboxes. Undefined until the desk's first answer, and for people who can't decide anything. */
export type WaitingCounts = { clarifications: WaitingCount | undefined; approvals: WaitingCount | undefined }

/** A count beside a name: "3"; "3+" until all Work is checked; "3?" while it may be old; nothing when all is checked and nothing waits. */
export function countText(waiting: WaitingCount | undefined): string {
  if (!waiting || (waiting.count === 0 && waiting.complete && !waiting.isOld)) return ""
  return `${waiting.count}${waiting.complete ? "" : "+"}${waiting.isOld ? "?" : ""}`
}

/** The name of a link with its count, for assistive technology; undefined where the count says all. */
export function countLabel(name: string, waiting: WaitingCount | undefined): string | undefined {
  if (waiting === undefined) return undefined
  const { count, complete, isOld = false, aside = 0 } = waiting
  if (aside === 0 && complete && !isOld) return undefined
  const waits = aside > 0 ? ` wait, ${aside} set aside` : ""
  const checked = complete ? "" : ", not all Work is checked yet"
  return `${name} ${countText(waiting) || count}${waits}${checked}${isOld ? ", as of the last update" : ""}`
}

/** Clarifications plus approvals, for the link `Needs You`, the page's title, the icon and the installed app. */
export function totalOf({ clarifications, approvals }: WaitingCounts): WaitingCount | undefined {
  if (!clarifications && !approvals) return undefined
  return {
    count: (clarifications?.count ?? 0) + (approvals?.count ?? 0),
    aside: (clarifications?.aside ?? 0) + (approvals?.aside ?? 0),
    complete: clarifications?.complete === true && approvals?.complete === true,
    isOld: clarifications?.isOld === true || approvals?.isOld === true,
  }
}

/** What is pending for the person, from the same query as the pages Needs You and Approvals. */
export function useWaitingCounts(): WaitingCounts {
  return {
    clarifications: useWaitingCount("clarifications"),
    approvals: useWaitingCount("approvals"),
  }
}

/** How much waits for the person in one inbox. The component is rendered only when that changes, and not when the desk has only checked more Work. */
export function useWaitingCount(inbox: keyof WaitingCounts): WaitingCount | undefined {
  const session = useSession()
  const canBeNeeded = session !== undefined && mayDecide(session)
  const myId = session?.person.id ?? ""
  const entries = useWaiting<readonly WaitingItem<Clarification | Approval>[] | undefined>(
    ({ waiting }) => waiting?.[inbox],
  )
  const complete = useIsComplete()
  const isOld = useWaiting((now) => waitingError(now) !== undefined)
  return useMemo(() => {
    if (entries === undefined || !canBeNeeded) return undefined
    const { waits = [], aside = [] } = Object.groupBy(entries, (entry) => standingOf(entry, myId))
    return { count: waits.length, aside: aside.length, complete, isOld }
  }, [entries, myId, canBeNeeded, complete, isOld])
}

/** A pending item for the person. `to` is its address in the app. */
export type WaitingLink = {
  readonly id: string
  readonly title: string
  readonly workTitle: string
  readonly to: string
}

/** The items of both inboxes that wait for a person, for the palette and the notifications. */
export function linksOf({ clarifications, approvals }: Pick<Waiting, "clarifications" | "approvals">, myId: string) {
  const linksTo = <Item extends Clarification | Approval>(
    page: "/needs-you" | "/approvals",
    entries: readonly WaitingItem<Item>[],
    titleOf: (item: Item) => string,
  ): readonly WaitingLink[] =>
    entries
      .filter((entry) => standingOf(entry, myId) === "waits")
      .map(({ work, item }) => ({
        id: item.id,
        title: titleOf(item),
        workTitle: work.title,
        to: inboxAddress(page, work.id, item.id),
      }))
  return {
    clarifications: linksTo("/needs-you", clarifications, ({ title }) => title),
    approvals: linksTo("/approvals", approvals, ({ summary }) => summary),
  }
}
