import type { ItemId } from "./item-noun.ts"

/** The address of an item of an inbox page: the Work's id goes with it, since the item's own finds no Work to ask. */
export function inboxAddress(page: "/needs-you" | "/approvals", workId: string, id: string): string {
  return `${page}?${new URLSearchParams({ item: id, work: workId }).toString()}`
}

/** One string for one item, for lists and for React. */
export function keyOf([workId, id]: ItemId): string {
  return JSON.stringify([workId, id])
}
