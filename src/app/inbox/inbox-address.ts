/**
 * The address of an item of an inbox page. An item's id alone is not known to be unique across Work (API specification:
 * "format of identifiers: not shown"), and finds no Work to ask; so the Work's id goes with it.
 */
export function inboxAddress(page: "/needs-you" | "/approvals", workId: string, id: string): string {
  return `${page}?${new URLSearchParams({ item: id, work: workId }).toString()}`
}
