import type { preloads } from "./preloads.ts"

/**
 * How the code of each page is fetched, by the page's path. The list of Work comes with the app itself. A new page also needs its line in
 * preloads.ts, its link in shell/menu.tsx and its entry in shell/palette-entries.ts.
 */
export const pages = {
  "/overview": () => import("./overview/overview-page.tsx"),
  "/work/new": () => import("./new-work/new-work-page.tsx"),
  "/needs-you": () => import("./clarifications/needs-you-page.tsx"),
  "/approvals": () => import("./approvals/approvals-page.tsx"),
  "/record": () => import("./record/record-page.tsx"),
  "/work/:id": () => import("./work/work-page.tsx"),
} satisfies Record<Exclude<keyof typeof preloads, "/work">, () => Promise<unknown>>

/** The key of `pages` for a path; undefined for the list and for an unknown path. */
export function pageOf(path: string): keyof typeof pages | undefined {
  if (Object.hasOwn(pages, path)) return path as keyof typeof pages
  return /^\/work\/[^/]+$/.test(path) ? "/work/:id" : undefined
}
