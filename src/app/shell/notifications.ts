import { array, string } from "valibot"
import { ownedName } from "../client/owner.ts"
import { defineKind } from "../client/storage.ts"
import type { WaitingCounts, WaitingLink } from "./waiting-counts.ts"

/** The notifications on the screen, by the id of their item. */
const shown = new Map<string, Notification>()

/** The ids of the items that were shown, or that waited when notifications were switched on. */
const knownIds = defineKind<readonly [], readonly string[]>({
  name: "notices-known",
  version: 1,
  schema: array(string()),
  forgetAfterMs: 90 * 24 * 60 * 60_000,
  maxCharacters: 500_000,
  mayGo: true,
})

/**
 * One tab of a browser shows the notifications: the tab that holds this lock. When it closes, another tab gets the lock. The ids that were
 * shown are stored, so that an item gets one notification whatever the number of tabs.
 */
let leads = false
let latest: (() => void) | undefined
void navigator.locks.request(ownedName("notices"), () => {
  leads = true
  latest?.()
  addEventListener("pagehide", closeNotifications)
  return new Promise(() => {})
})

/**
 * Shows a notification for each new item of `waiting`, and closes those of resolved items. Items that waited when notifications were
 * switched on are not new. `onRefused` gets a sentence for the person where the browser lets no page show a notification, as on Android.
 */
export function updateNotifications(
  waiting: WaitingCounts,
  open: (to: string) => void,
  onRefused: (why: string) => void,
): void {
  latest = () => {
    try {
      tell(waiting, open)
    } catch {
      onRefused(
        "This browser lets no page show notifications. What waits is counted in the menu and in the tab's title.",
      )
    }
  }
  if (leads) latest()
}

/** Closes every notification of this tab. */
export function closeNotifications(): void {
  for (const notification of shown.values()) notification.close()
  shown.clear()
}

function tell({ clarifications, approvals }: WaitingCounts, open: (to: string) => void): void {
  const complete = clarifications?.complete === true && approvals?.complete === true
  const clarificationItems = clarifications?.items ?? []
  const items = [...clarificationItems, ...(approvals?.items ?? [])]
  const stored = knownIds().read()
  if (stored === undefined && !complete) return
  const known = new Set(stored)
  for (const item of items) {
    if (stored !== undefined && !known.has(item.id)) show(item, clarificationItems.includes(item), open)
    known.add(item.id)
  }
  const present = new Set(items.map(({ id }) => id))
  // A partial count does not list everything. An item that is missing from it may still wait.
  if (complete) {
    for (const [id, notice] of shown) {
      if (present.has(id)) continue
      notice.close()
      shown.delete(id)
    }
    for (const id of known) if (!present.has(id)) known.delete(id)
  }
  const ids = [...known]
  if (ids.join("\n") !== stored?.join("\n")) knownIds().write(ids)
}

function show(item: WaitingLink, clarification: boolean, open: (to: string) => void): void {
  const notice = new Notification(clarification ? "A colleague asks you" : "A colleague asks for approval", {
    body: item.title,
    tag: `workdesk:${item.id}`,
    icon: "/icon-192.png",
  })
  notice.addEventListener("click", () => {
    focus()
    open(item.to)
    notice.close()
  })
  notice.addEventListener("close", () => shown.delete(item.id))
  shown.set(item.id, notice)
}
