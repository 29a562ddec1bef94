import type { ItemId } from "./item-noun.ts"

/** The address of an item of an inbox page. It has the id of the Work too, because the API finds no item by the item's id alone. */
export function inboxAddress(page: "/needs-you" | "/approvals", workId: string, id: string): string {
  return `${page}?${new URLSearchParams({ item: id, work: workId }).toString()}`
}

/** One string for one item, for lists and for React. */
export function keyOf([workId, id]: ItemId): string {
  return JSON.stringify([workId, id])
}
