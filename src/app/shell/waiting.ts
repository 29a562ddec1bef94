/** An item that waits for the person. `to` is its address in the app. */
export type WaitingItem = { id: string; title: string; to: string }

/** The items of one inbox. `complete` is false until all Work is checked. */
export type WaitingCount = { count: number; complete: boolean; items?: readonly WaitingItem[] }

/** Both inboxes; undefined until one has its first answer. */
export type Waiting = { clarifications: WaitingCount | undefined; approvals: WaitingCount | undefined }

/** A count beside a name: "3", "3+" until all Work is checked, nothing at zero. */
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
