import { lazy, type ReactNode } from "react"
import { type Location, Navigate, useLocation } from "react-router"
import { pageOf, pages } from "./pages.ts"
import { Shell } from "./shell/shell.tsx"
import WorkListPage from "./work/work-list-page.tsx"

const Overview = lazy(pages.overview)
const Work = lazy(pages.work)
const NewWork = lazy(pages.newWork)
const NeedsYou = lazy(pages.needsYou)
const Approvals = lazy(pages.approvals)
const Record = lazy(pages.record)
const NotFound = lazy(async () => ({ default: (await import("./shell/not-found.tsx")).NotFound }))

const elements = {
  overview: <Overview />,
  work: <Work />,
  newWork: <NewWork />,
  needsYou: <NeedsYou />,
  approvals: <Approvals />,
  record: <Record />,
}

/** Shows the page of the present address. React Router's own `Routes` would weigh 4 kB (brotli) more in the first load. */
export function AppRoutes() {
  return <Shell>{pageAt(useLocation())}</Shell>
}

function pageAt({ pathname, search }: Location): ReactNode {
  if (pathname === "/") return <Navigate to="/work" replace />
  const path = pathname.replace(/\/$/, "")
  if (path === "/work") return <WorkListPage />
  // An older desk kept a list of decisions in the browser at this address.
  if (path === "/approvals" && new URLSearchParams(search).has("decided")) return <Navigate to="/record" replace />
  const page = pageOf(path)
  return page === undefined ? <NotFound /> : elements[page]
}
