/** The last check before a delivery leaves: which of its notices still apply. */
import type { Notice, NoticeDesk, Result } from "./channel.ts"
import { isQuiet, quietEnd } from "./leave-times.ts"
import { type DueItem, FIRST_NOTICE, type Step } from "./due-notices.ts"
import type { Person } from "./people-now.ts"
import type { WaitingItem } from "./waiting-items.ts"

const UNREAD_MS = 5_000

/** The result of a delivery when the watcher has not yet read one of its items. */
export const postponeUnread = (): Result => ({ kind: "postponed", until: Date.now() + UNREAD_MS })

/** The result of a delivery to a person in quiet hours. Undefined: the person isn't in quiet hours. */
export function postponeQuiet({ choice }: Person): Result | undefined {
  const now = Date.now()
  return isQuiet(choice, now) ? { kind: "postponed", until: quietEnd(choice, now) } : undefined
}

/** Finds the items that are still pending and that `mayNotify` allows, oldest first. The other notices are withdrawn. */
export function findStillWaiting(
  notices: readonly Notice[],
  { findItem }: Pick<NoticeDesk, "findItem">,
  mayNotify: (item: WaitingItem, step: Step) => boolean,
): { readonly items: readonly DueItem[]; readonly withdrawn: readonly Notice[] } | "unread" {
  const items = new Map<string, DueItem>()
  const withdrawn: Notice[] = []
  for (const notice of notices) {
    const item = findItem(notice)
    if (item === "unread") return item
    const step = toStep(notice.step)
    if (step === undefined) continue
    if (item === undefined || !mayNotify(item, step)) {
      withdrawn.push(notice)
      continue
    }
    // An item with two steps has one line.
    const key = JSON.stringify([notice.workId, notice.itemId])
    items.set(key, { item, steps: [...(items.get(key)?.steps ?? []), step] })
  }
  return { items: [...items.values()].sort((one, other) => one.item.since - other.item.since), withdrawn }
}

function toStep(text: string): Step | undefined {
  if (text === FIRST_NOTICE || text === "handed" || text === "reminded") return text
  return text.startsWith("escalated ") ? `escalated ${text.slice("escalated ".length)}` : undefined
}
