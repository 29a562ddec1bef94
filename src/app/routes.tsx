import { lazy, type ReactNode } from "react"
import { type Location, Navigate, useLocation } from "react-router"
import { Shell } from "./shell/shell.tsx"
import WorkListPage from "./work/work-list-page.tsx"

const WorkPage = lazy(() => import("./work/work-page.tsx"))
const OverviewPage = lazy(() => import("./overview/overview-page.tsx"))
const NewWorkPage = lazy(() => import("./new-work/new-work-page.tsx"))
const NeedsYouPage = lazy(() => import("./attention/needs-you-page.tsx"))
const ApprovalsPage = lazy(() => import("./approvals/approvals-page.tsx"))
const NotFound = lazy(async () => ({ default: (await import("./shell/not-found.tsx")).NotFound }))
const RecordPage = lazy(() => import("./record/record-page.tsx"))

/** The page of each address. The list comes with the first load, every other page when it is first visited. */
const pages: Readonly<Record<string, ReactNode>> = {
  "/": <Navigate to="/work" replace />,
  "/overview": <OverviewPage />,
  "/work": <WorkListPage />,
  "/work/new": <NewWorkPage />,
  "/needs-you": <NeedsYouPage />,
  "/approvals": <ApprovalsPage />,
  "/record": <RecordPage />,
}

/** Shows the page of the present address. React Router's own `Routes` would weigh 4 kB (brotli) more in the first load. */
export function AppRoutes() {
  return <Shell>{pageAt(useLocation())}</Shell>
}

function pageAt({ pathname, search }: Location): ReactNode {
  const path = pathname === "/" ? pathname : pathname.replace(/\/$/, "")
  // An older desk kept a list of decisions in the browser at this address.
  if (path === "/approvals" && new URLSearchParams(search).has("decided")) return <Navigate to="/record" replace />
  if (Object.hasOwn(pages, path)) return pages[path]
  return /^\/work\/[^/]+$/.test(path) ? <WorkPage /> : <NotFound />
}
