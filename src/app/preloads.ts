/** What a page needs besides the app itself: its code, and the addresses that it reads first. */
export type Preload = { readonly code?: string; readonly reads?: readonly string[] }

/**
 * What the browser fetches while the app is still loading, by the page's path. The build writes an HTML file for each path, with these as
 * preloads (`vite.config.ts`), and the desk serves that file (`src/proxy/site.ts`). `first-page.ts` takes the answers.
 */
export const preloads = {
  "/overview": { code: "overview/overview-page.tsx" },
  "/work": { reads: ["/desk/work?"] },
  "/work/new": { code: "new-work/new-work-page.tsx" },
  "/needs-you": { code: "clarifications/needs-you-page.tsx", reads: ["/desk/waiting"] },
  "/approvals": { code: "approvals/approvals-page.tsx", reads: ["/desk/waiting"] },
  "/record": { code: "record/record-page.tsx" },
  "/notices": { code: "notices/notices-page.tsx" },
  "/work/:id": { code: "work/work-page.tsx" },
} satisfies Readonly<Record<string, Preload>>
