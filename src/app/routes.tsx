import { lazy, type ReactNode } from "react"
import { type Location, Navigate, useLocation } from "react-router"
import { pageOf, pages } from "./pages.ts"
import { Shell } from "./shell/shell.tsx"
import WorkListPage from "./work/work-list-page.tsx"

const NotFound = lazy(async () => ({ default: (await import("./shell/not-found.tsx")).NotFound }))
const lazyPages = Object.fromEntries(Object.entries(pages).map(([path, load]) => [path, lazy(load)]))

/** Shows the page of the present address. React Router's own `Routes` would make the first load 4 kB (brotli) larger. */
export function AppRoutes() {
  return <Shell>{pageAt(useLocation())}</Shell>
}

function pageAt({ pathname }: Location): ReactNode {
  if (pathname === "/") return <Navigate to="/work" replace />
  const path = pathname.replace(/\/$/, "")
  if (path === "/work") return <WorkListPage />
  const Page = lazyPages[pageOf(path) ?? ""] ?? NotFound
  return <Page />
}
