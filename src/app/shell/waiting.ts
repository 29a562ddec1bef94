/** One thing that waits for the person: `to` is its address in the app. */
export type WaitingItem = { id: string; title: string; to: string }

/** What one inbox knows: `complete` is false while not every Work has been asked. */
export type WaitingCount = { count: number; complete: boolean; items?: readonly WaitingItem[] }

/** Both inboxes together; undefined before either has answered for the first time. */
export type Waiting = { clarifications: WaitingCount | undefined; approvals: WaitingCount | undefined }

/** A count as it stands beside a name: "3", "3+" while not all are checked, nothing at zero. */
export function countText(waiting: WaitingCount | undefined): string {
  if (!waiting || (waiting.count === 0 && waiting.complete)) return ""
  return `${waiting.count}${waiting.complete ? "" : "+"}`
}

/** Clarifications plus approvals, for the page's title, the icon and the installed app. */
export function totalOf({ clarifications, approvals }: Waiting): WaitingCount | undefined {
  if (!clarifications && !approvals) return undefined
  return {
    count: (clarifications?.count ?? 0) + (approvals?.count ?? 0),
    complete: clarifications?.complete === true && approvals?.complete === true,
  }
}
