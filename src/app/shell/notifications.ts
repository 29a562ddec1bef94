/** Shows browser notifications of pending items, in one tab of the browser. `client/notification-choice.ts` has the person's choice. */
import { notificationState, knownIds, switchNotificationsOff } from "../client/notification-choice.ts"
import { ownedName } from "../client/storage.ts"
import type { Waiting } from "../client/waiting.ts"
import { writeHidden } from "../ui/hidden-characters.ts"
import { linksOf, type WaitingLink } from "./waiting-counts.ts"

/** The notifications of this tab that are on the screen, by the id of their item. */
const shown = new Map<string, Notification>()

/** The lock of the tab that shows notifications. The name stays, although `notices` means mail elsewhere: an older build may be open in a tab. */
const LOCK = "notices"

/**
 * One tab of a browser shows the notifications: the tab that holds the lock. The ids that were shown are stored (`knownIds`), so that an item gets
 * one notification whatever the number of tabs.
 *
 * A notification closes with its tab, because a click on the notification reaches that tab alone. Then another tab gets the lock, and shows only
 * items whose ids are not stored. An item whose notification closed gets no second notification, and still waits in the inbox.
 *
 * The tab that reads the pending items from the desk holds another lock (`client/follow-waiting.ts`). Different tabs may hold the two locks,
 * because every tab gets each answer of the desk.
 */
let isShowingTab = false
/** The last update of this tab, for the moment at which the tab gets the lock. */
let lastUpdate: (() => void) | undefined
void navigator.locks.request(ownedName(LOCK), () => {
  isShowingTab = true
  lastUpdate?.()
  addEventListener("pagehide", closeNotifications)
  return new Promise(() => {})
})

/**
 * Shows a notification for each new item of `waiting`, and closes those of resolved items. Items that waited when notifications were
 * switched on are not new.
 */
export function updateNotifications(waiting: Waiting | undefined, myId: string, open: (to: string) => void): void {
  lastUpdate = () => {
    if (notificationState() !== "on") return closeNotifications()
    try {
      if (waiting !== undefined) showAndClose(waiting, myId, open)
    } catch {
      switchNotificationsOff("refused")
    }
  }
  if (isShowingTab) lastUpdate()
}

/** Closes every notification of this tab. */
function closeNotifications(): void {
  for (const notification of shown.values()) notification.close()
  shown.clear()
}

function showAndClose(waiting: Waiting, myId: string, open: (to: string) => void): void {
  const { complete } = waiting
  const { clarifications, approvals } = linksOf(waiting, myId)
  const items = [...clarifications, ...approvals]
  const stored = knownIds().read()
  // Without stored ids, all items that wait become known and none is shown. That needs the complete list.
  if (stored === undefined && !complete) return
  const known = new Set(stored)
  for (const item of items) {
    if (stored !== undefined && !known.has(item.id)) show(item, clarifications.includes(item), open)
    known.add(item.id)
  }
  const present = new Set(items.map(({ id }) => id))
  // An item that is missing from an incomplete list may still wait.
  if (complete) {
    for (const [id, notification] of shown) {
      if (present.has(id)) continue
      notification.close()
      shown.delete(id)
    }
    for (const id of known) if (!present.has(id)) known.delete(id)
  }
  const ids = [...known]
  if (ids.join("\n") !== stored?.join("\n")) knownIds().write(ids)
}

function show(item: WaitingLink, isClarification: boolean, open: (to: string) => void): void {
  const notification = new Notification(
    isClarification ? "A colleague has a question" : "A colleague is asking for approval",
    {
      body: writeHidden(item.title),
      tag: `workdesk:${item.id}`,
      icon: "/icon-192.png",
    },
  )
  notification.addEventListener("click", () => {
    focus()
    open(item.to)
    notification.close()
  })
  notification.addEventListener("close", () => shown.delete(item.id))
  shown.set(item.id, notification)
}
