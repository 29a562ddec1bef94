/** How much waits: the numbers in the menu, the title and the icons, and the notifications. */
import { useEffect, useMemo, useRef } from "react"
import { useNavigate } from "react-router"
import type { Approval } from "../../contract/resources.ts"
import { useWantsNotifications } from "../client/notification-choice.ts"
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
import { titleCount } from "../ui/page-parts.tsx"

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

/** Shows pending items outside the page: in its title, on its icons, and in notifications of the operating system. */
export function WaitingSigns(): null {
  useBadges()
  useNotifications()
  return null
}

/** Shows the count of pending items in the title of the page, on the icon of the tab and on the icon of the installed app. */
function useBadges(): void {
  const total = totalOf(useWaitingCounts())
  const text = countText(total)
  const count = total?.count ?? 0
  useEffect(() => {
    titleCount.set(text)
    const icon = document.getElementById("icon")
    const href = count > 0 ? "/icon-waiting.svg" : "/icon.svg"
    // A browser loads the icon again whenever its address is set.
    if (icon?.getAttribute("href") !== href) icon?.setAttribute("href", href)
    // Only an installed app has a badge. Otherwise the promise is rejected or the function is missing.
    navigator.setAppBadge?.(count).catch(() => undefined)
  }, [text, count])
}

/** Shows notifications of the operating system where the person has switched them on. Their code is loaded only then. */
function useNotifications(): void {
  const navigate = useNavigate()
  const myId = useSession()?.person.id ?? ""
  const areWanted = useWantsNotifications()
  const waiting = useWaiting((now) => (areWanted ? now.waiting : undefined))
  const wereWanted = useRef(false)
  useEffect(() => {
    // Right after a switch-off the code runs once more, and closes the notifications.
    if (!areWanted && !wereWanted.current) return
    wereWanted.current = areWanted
    let left = false
    import("./notifications.ts").then(
      ({ updateNotifications }) => left || updateNotifications(waiting, myId, (to) => void navigate(to)),
      // Without this code there are no notifications. The counts are still shown.
      () => undefined,
    )
    return () => {
      left = true
    }
  }, [areWanted, waiting, myId, navigate])
}
