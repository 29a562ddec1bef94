/** How the code of each page is fetched, by the page's path. The list of Work comes with the app itself. */
export const pages = {
  "/overview": () => import("./overview/overview-page.tsx"),
  "/work/new": () => import("./new-work/new-work-page.tsx"),
  "/needs-you": () => import("./attention/needs-you-page.tsx"),
  "/approvals": () => import("./approvals/approvals-page.tsx"),
  "/record": () => import("./record/record-page.tsx"),
  "/work/:id": () => import("./work/work-page.tsx"),
}

/** The page of a path other than the list. */
export function pageOf(path: string): keyof typeof pages | undefined {
  if (Object.hasOwn(pages, path)) return path as keyof typeof pages
  return /^\/work\/[^/]+$/.test(path) ? "/work/:id" : undefined
}
