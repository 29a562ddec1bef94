import type { ComponentType, ReactNode } from "react"
import { Navigate, useLocation } from "react-router"
import { mayDecide, useSession } from "./client/session.ts"
import { pages } from "./pages.ts"
import { FailedPage } from "./shell/page-failed.tsx"
import { Loading, Shell } from "./shell/shell.tsx"
import { part } from "./ui/part.tsx"
import WorkListPage from "./work/work-list-page.tsx"

const code = import.meta.glob<{ default: ComponentType }>(["./*/*-page.tsx", "!./work/work-list-page.tsx"])

/** The code of each page, by its file. */
const parts = new Map(
  Object.entries(code).map(([file, load]) => [
    file,
    part<object>("This page", async () => (await load()).default, { loading: Loading, missing: FailedPage }),
  ]),
)

/** The code of each page that is loaded at its first visit, by the page's path. */
const partsByPath = new Map(pages.map(({ path, code }) => [path, parts.get(`./${code}`)]))

const NotFound = part<object>("This page", async () => (await import("./shell/not-found.tsx")).NotFound, {
  loading: Loading,
  missing: FailedPage,
})

/** The part that shows the page at `pathname`; undefined for the list of Work and for an unknown path. */
export function partAt(pathname: string) {
  const plain = pathname.replace(/\/$/, "")
  return partsByPath.get(plain) ?? (/^\/work\/[^/]+$/.test(plain) ? partsByPath.get("/work/:id") : undefined)
}

/** Shows the page of the present address. */
export function AppRoutes() {
  return <Shell>{pageAt(useLocation().pathname)}</Shell>
}

function pageAt(pathname: string): ReactNode {
  if (pathname === "/") return <Home />
  if (/^\/work\/?$/.test(pathname)) return <WorkListPage />
  const Page = partAt(pathname)
  return Page === undefined ? <NotFound /> : <Page key={pathname} />
}

/** Redirects `/` to the inbox, or to the list of Work for people who can't decide anything. */
function Home() {
  const session = useSession()
  return <Navigate to={session !== undefined && mayDecide(session) ? "/needs-you" : "/work"} replace />
}
