/** The links of notices. */
import type { KnownItem } from "./known-items.ts"

/** The path of a Work's page. */
export const pathOfWork = (workId: string) => `/work/${encodeURIComponent(workId.toWellFormed())}`

/** The link to a Work below `base`, which has no path. */
export const linkToWork = (base: URL, workId: string) => new URL(pathOfWork(workId), base).href

/** The path of an item's page, with its query. */
export function pathOf({ kind, itemId }: Pick<KnownItem, "kind" | "itemId">): string {
  const page = kind === "approval" ? "/approvals" : "/needs-you"
  return `${page}?item=${encodeURIComponent(itemId.toWellFormed())}`
}

/** The link to an item below `base`, which has no path. */
export const linkTo = (base: URL, item: Pick<KnownItem, "kind" | "itemId">) => new URL(pathOf(item), base).href
