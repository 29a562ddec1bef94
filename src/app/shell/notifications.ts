/** Shows browser notifications of what waits, in one tab of the browser. `client/notification-choice.ts` has the choice of the person. */
import { notificationState, knownIds, switchNotificationsOff } from "../client/notification-choice.ts"
import { ownedName } from "../client/storage.ts"
import type { WaitingCounts, WaitingLink } from "./waiting-counts.ts"

/** The notifications on the screen, by the id of their item. */
const shown = new Map<string, Notification>()

/**
 * One tab of a browser shows the notifications: the tab that holds this lock. When that tab closes, another tab gets the lock. The ids that were
 * shown are stored, so that an item gets one notification whatever the number of tabs.
 */
let isShowingTab = false
/** The last update of this tab, for the moment at which the tab gets the lock. */
let lastUpdate: (() => void) | undefined
void navigator.locks.request(ownedName("notices"), () => {
  isShowingTab = true
  lastUpdate?.()
  addEventListener("pagehide", closeNotifications)
  return new Promise(() => {})
})

/**
 * Shows a notification for each new item of `waiting`, and closes those of resolved items. Items that waited when notifications were
 * switched on are not new.
 */
export function updateNotifications(waiting: WaitingCounts, open: (to: string) => void): void {
  lastUpdate = () => {
    if (notificationState() !== "on") return closeNotifications()
    try {
      showAndClose(waiting, open)
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

function showAndClose({ clarifications, approvals }: WaitingCounts, open: (to: string) => void): void {
  const complete = clarifications?.complete === true && approvals?.complete === true
  const clarificationItems = clarifications?.items ?? []
  const items = [...clarificationItems, ...(approvals?.items ?? [])]
  const stored = knownIds().read()
  // Without stored ids, all items that wait become known and none is shown. That needs the complete list.
  if (stored === undefined && !complete) return
  const known = new Set(stored)
  for (const item of items) {
    if (stored !== undefined && !known.has(item.id)) show(item, clarificationItems.includes(item), open)
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
  const notification = new Notification(isClarification ? "A colleague asks you" : "A colleague asks for approval", {
    body: item.title,
    tag: `workdesk:${item.id}`,
    icon: "/icon-192.png",
  })
  notification.addEventListener("click", () => {
    focus()
    open(item.to)
    notification.close()
  })
  notification.addEventListener("close", () => shown.delete(item.id))
  shown.set(item.id, notification)
}
