/** The links of notices. */
import type { KnownItem } from "./known-items.ts"

/** The link to a Work below `base`, which has no path. */
export function linkToWork(base: URL, workId: string): string {
  return new URL(`/work/${encodeURIComponent(workId.toWellFormed())}`, base).href
}

/** The link to an item below `base`, which has no path. */
export function linkTo(base: URL, { kind, itemId }: Pick<KnownItem, "kind" | "itemId">): string {
  const path = kind === "approval" ? "/approvals" : "/needs-you"
  return new URL(`${path}?item=${encodeURIComponent(itemId.toWellFormed())}`, base).href
}
