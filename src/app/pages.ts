/** Fetches the code of a page, one file each. The list of Work comes with the app itself. */
export const pages = {
  overview: () => import("./overview/overview-page.tsx"),
  work: () => import("./work/work-page.tsx"),
  newWork: () => import("./new-work/new-work-page.tsx"),
  needsYou: () => import("./attention/needs-you-page.tsx"),
  approvals: () => import("./approvals/approvals-page.tsx"),
  record: () => import("./record/record-page.tsx"),
}

/** The page of an address other than the list. */
export function pageOf(path: string): keyof typeof pages | undefined {
  switch (path) {
    case "/overview":
      return "overview"
    case "/work/new":
      return "newWork"
    case "/needs-you":
      return "needsYou"
    case "/approvals":
      return "approvals"
    case "/record":
      return "record"
    default:
      return /^\/work\/[^/]+$/.test(path) ? "work" : undefined
  }
}
