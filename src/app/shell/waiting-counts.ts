/** How much waits: the numbers in the menu, the title and the icons, and the notifications. */
import { useEffect, useMemo, useRef } from "react"
import { useNavigate } from "react-router"
import type { Approval } from "../../contract/resources.ts"
import { useNotificationState } from "../client/notification-choice.ts"
import { useSession } from "../client/session.ts"
import { type Clarification, standingOf, useWaiting, waitingError, type WaitingItem } from "../client/waiting.ts"
import { inboxAddress } from "../inbox/addresses.ts"
import { setTitlePrefix } from "../ui/page-parts.tsx"

/** An item that waits for the person. `to` is its address in the app. */
export type WaitingLink = { id: string; title: string; to: string }

/**
 * The items of one inbox. `complete` is false until all Work is checked, `isOld` is true while nothing newer can be received. `aside`: how many the
 * person has set aside, not part of `count`.
 */
export type WaitingCount = {
  count: number
  complete: boolean
  isOld?: boolean
  aside?: number
  items?: readonly WaitingLink[]
}

/** Both inboxes; both are undefined until the first answer of the desk. */
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
  return `${name} ${countText(waiting) || count}${waits}${checked}${isOld ? ", as of the last answer" : ""}`
}

/** Clarifications plus approvals, for the page's title, the icon and the installed app. */
export function totalOf({ clarifications, approvals }: WaitingCounts): WaitingCount | undefined {
  if (!clarifications && !approvals) return undefined
  return {
    count: (clarifications?.count ?? 0) + (approvals?.count ?? 0),
    complete: clarifications?.complete === true && approvals?.complete === true,
    isOld: clarifications?.isOld === true || approvals?.isOld === true,
  }
}

/** What waits for the person, from the same query as the pages Needs You and Approvals. */
export function useWaitingCounts(): WaitingCounts {
  const received = useWaiting()
  const { waiting } = received
  const isOld = waitingError(received) !== undefined
  const myId = useSession()?.person.id ?? ""
  const { clarifications, approvals, complete = false } = waiting ?? {}
  // Each list is counted anew when it changes, and not when the desk has only checked more Work.
  const questions = useMemo(
    () => clarifications && countOf("/needs-you", clarifications, myId, (item: Clarification) => item.title),
    [clarifications, myId],
  )
  const requests = useMemo(
    () => approvals && countOf("/approvals", approvals, myId, (item: Approval) => item.summary),
    [approvals, myId],
  )
  return useMemo(
    () => ({
      clarifications: questions && { ...questions, complete, isOld },
      approvals: requests && { ...requests, complete, isOld },
    }),
    [questions, requests, complete, isOld],
  )
}

function countOf<Item extends Clarification | Approval>(
  page: "/needs-you" | "/approvals",
  items: readonly WaitingItem<Item>[],
  myId: string,
  titleOf: (item: Item) => string,
) {
  const { waits = [], aside = [] } = Object.groupBy(items, (entry) => standingOf(entry, myId))
  return {
    count: waits.length,
    aside: aside.length,
    items: waits.map(({ work, item }) => ({
      id: item.id,
      title: titleOf(item),
      to: inboxAddress(page, work.id, item.id),
    })),
  }
}

/** Shows the count of what waits in the title of the page, on the icon of the tab and on the icon of the installed app. */
export function useBadges(waiting: WaitingCounts): void {
  const total = totalOf(waiting)
  const text = countText(total)
  const count = total?.count ?? 0
  // A browser loads the icon again whenever its address is set.
  const icon = count > 0 ? "/icon-waiting.svg" : "/icon.svg"
  useEffect(() => document.getElementById("icon")?.setAttribute("href", icon), [icon])
  useEffect(() => {
    setTitlePrefix(text)
    // Only an installed app has a badge. Otherwise the promise is rejected or the function is missing.
    navigator.setAppBadge?.(count).catch(() => undefined)
  }, [text, count])
}

/** Shows notifications of the operating system where the person has switched them on. Their code is loaded only then. */
export function useNotifications(waiting: WaitingCounts): void {
  const navigate = useNavigate()
  const isOn = useNotificationState() === "on"
  const wasOn = useRef(false)
  useEffect(() => {
    // Right after a switch-off the code runs once more, and closes the notifications.
    if (!isOn && !wasOn.current) return
    wasOn.current = isOn
    let left = false
    import("./notifications.ts").then(
      ({ updateNotifications }) => left || updateNotifications(waiting, (to) => void navigate(to)),
      // Without this code there are no notifications. The counts are still shown.
      () => undefined,
    )
    return () => {
      left = true
    }
  }, [isOn, waiting, navigate])
}
