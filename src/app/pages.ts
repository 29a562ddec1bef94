import type { ComponentType } from "react"
import type { preloads } from "./preloads.ts"
import { FailedPage } from "./shell/failure.tsx"
import { Loading } from "./shell/shell.tsx"
import { part, type Part } from "./ui/part.tsx"

type Page = Part<object>

const page = (load: () => Promise<{ default: ComponentType }>): Page =>
  part<object>("This page", async () => (await load()).default, { loading: Loading, missing: FailedPage })

/**
 * How the code of each page is fetched, by the page's path. The list of Work comes with the app itself. A new page also needs its line in
 * `preloads.ts`, and in `shell/places.ts` its link in the menu and the palette.
 */
export const pages = {
  "/overview": page(() => import("./overview/overview-page.tsx")),
  "/work/new": page(() => import("./new-work/new-work-page.tsx")),
  "/needs-you": page(() => import("./clarifications/needs-you-page.tsx")),
  "/approvals": page(() => import("./approvals/approvals-page.tsx")),
  "/record": page(() => import("./record/record-page.tsx")),
  "/notices": page(() => import("./notices/notices-page.tsx")),
  "/work/:id": page(() => import("./work/work-page.tsx")),
} satisfies Record<Exclude<keyof typeof preloads, "/work">, Page>

/** The key of `pages` for a path; undefined for the list and for an unknown path. */
export function pageOf(path: string): keyof typeof pages | undefined {
  const plain = path.replace(/\/$/, "")
  if (Object.hasOwn(pages, plain)) return plain as keyof typeof pages
  return /^\/work\/[^/]+$/.test(plain) ? "/work/:id" : undefined
}
