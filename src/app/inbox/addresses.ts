/** The addresses of Work and of items in the inboxes, and keys made of ids. */
import type { ItemId, ItemKind } from "./item.ts"

/** The address of the page of a Work. A lone surrogate in the id has no encoding and is replaced, so that the link never throws. */
export function workAddress(workId: string): string {
  return `/work/${encodeURIComponent(workId.toWellFormed())}`
}

/**
 * The id of the Work of a page, from the raw path of the address. React Router's own parameter reads a `%2F` within an id as a slash
 * (react-router 8, `matchPath`).
 */
export function workIdOf(pathname: string): string {
  const segment = pathname.split("/")[2] ?? ""
  try {
    return decodeURIComponent(segment)
  } catch {
    // A lone % that somebody typed.
    return segment
  }
}

/** The address of an item of an inbox page. The address has the id of the Work too, because the API finds no item by the item's id alone. */
export function inboxAddress(page: "/needs-you" | "/approvals", workId: string, id: string): string {
  // Measured: URLSearchParams took a sixth of all processor time while 500 items came into the list.
  const [item, work] = [id, workId].map((each) => encodeURIComponent(each.toWellFormed()))
  return `${page}?item=${item}&work=${work}`
}

/** The React key of an item: one string for each pair of ids. */
export function itemKey([workId, id]: ItemId): string {
  return JSON.stringify([workId, id])
}

/** The key of an item in a list of both kinds. According to openapi.yaml, a question and an approval may have the same id. */
export function rowKey(kind: ItemKind, [workId, id]: ItemId): string {
  return JSON.stringify([kind, workId, id])
}
