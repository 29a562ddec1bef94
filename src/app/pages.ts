import type { IconName } from "./ui/icon.tsx"

/** A page of the app. */
export type Page = {
  readonly path: string
  /** The words of the links to the page. A page without a name is neither in the menu nor in the palette. */
  readonly name?: string
  readonly icon?: IconName
  /** True where the link is in the person's menu, or in local mode below the menu. */
  readonly inPersonMenu?: boolean
  /** The file of the page's code, loaded at the first visit. Two addresses may have the same. Left out for the list of Work, whose code comes with the app itself. */
  readonly code?: string
  /** The addresses that the page reads first, which the browser preloads. */
  readonly reads?: readonly string[]
}

/**
 * Every page, in the order of the menu. The build writes an HTML file for each path, so that the browser fetches the code and the reads while
 * the app is still loading (`vite.config.ts`), and the desk serves that file (`src/desk/http/site.ts`). `read-preloads.ts` takes the answers.
 */
export const pages: readonly Page[] = [
  { path: "/overview", name: "Overview", icon: "overview", code: "overview/overview-page.tsx" },
  { path: "/work", name: "Work", icon: "work", reads: ["/desk/work?"] },
  {
    path: "/needs-you",
    name: "Needs You",
    icon: "needs-you",
    code: "needs-you/needs-you-page.tsx",
    reads: ["/desk/waiting"],
  },
  {
    path: "/approvals",
    name: "Approvals",
    icon: "approvals",
    code: "needs-you/needs-you-page.tsx",
    reads: ["/desk/waiting"],
  },
  { path: "/work/new", name: "New Work", icon: "new", code: "new-work/new-work-page.tsx" },
  { path: "/record", name: "Record", icon: "record", code: "record/record-page.tsx" },
  { path: "/notices", name: "Notices", icon: "bell", inPersonMenu: true, code: "notices/notices-page.tsx" },
  { path: "/work/:id", code: "work/work-page.tsx" },
]
