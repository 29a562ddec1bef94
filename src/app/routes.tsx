import type { ReactNode } from "react"
import { Navigate, useLocation } from "react-router"
import { pageOf, pages } from "./pages.ts"
import { Shell } from "./shell/shell.tsx"
import { part } from "./ui/part.tsx"
import WorkListPage from "./work/work-list-page.tsx"

const NotFound = part("This page", async () => (await import("./shell/not-found.tsx")).NotFound)

/** Shows the page of the present address. */
export function AppRoutes() {
  return <Shell>{pageAt(useLocation().pathname)}</Shell>
}

function pageAt(pathname: string): ReactNode {
  if (pathname === "/") return <Navigate to="/work" replace />
  if (/^\/work\/?$/.test(pathname)) return <WorkListPage />
  const path = pageOf(pathname)
  if (path === undefined) return <NotFound />
  const Page = pages[path]
  return <Page key={pathname} />
}
