export type Page = {
  readonly path: string
  /** The text of links to the page. A page without a name is not in the palette. `shell/menu.tsx` has the menu. */
  readonly name?: string
  /** The file of the page's code, loaded at the first visit. Left out for the list of Work, whose code is part of the app itself. */
  readonly code?: string
  /** The addresses that the page reads first, which the browser preloads. */
  readonly reads?: readonly string[]
}

/**
 * Every page. The build writes an HTML file for each path, so that the browser fetches the code and the reads while
 * the app is still loading (`vite.config.ts`), and the desk serves that file (`src/desk/http/site.ts`). `read-preloads.ts` reads the answers.
 */
export const pages: readonly Page[] = [
  {
    path: "/needs-you",
    name: "Needs You",
    code: "needs-you/needs-you-page.tsx",
    reads: ["/desk/waiting"],
  },
  {
    path: "/approvals",
    name: "Approvals",
    code: "needs-you/needs-you-page.tsx",
    reads: ["/desk/waiting"],
  },
  { path: "/work", name: "Work", reads: ["/desk/work?"] },
  { path: "/overview", name: "Overview", code: "overview/overview-page.tsx" },
  { path: "/work/new", name: "New Work", code: "new-work/new-work-page.tsx" },
  { path: "/record", name: "Record", code: "record/record-page.tsx" },
  { path: "/notices", name: "Notices", code: "notices/notices-page.tsx" },
  { path: "/work/:id", code: "work/work-page.tsx" },
]
