import { type ComponentType, lazy, type ReactNode, useEffect, useState } from "react"
import { type Location, Navigate, useLocation } from "react-router"
import { pageOf, pages } from "./pages.ts"
import { Loading, Shell } from "./shell/shell.tsx"
import WorkListPage from "./work/work-list-page.tsx"

type Path = keyof typeof pages

const NotFound = lazy(async () => ({ default: (await import("./shell/not-found.tsx")).NotFound }))

const loaded = new Map<Path, ComponentType>()

/** Loads the code of the page at `pathname`, so that its first render shows the page. */
export async function loadPage(pathname: string): Promise<void> {
  const path = pageOf(withoutEnd(pathname))
  if (path !== undefined) loaded.set(path, (await pages[path]()).default)
}

/** Shows the page of the present address. React Router's own `Routes` would make the first load 4 kB (brotli) larger. */
export function AppRoutes() {
  return <Shell>{pageAt(useLocation())}</Shell>
}

function pageAt({ pathname }: Location): ReactNode {
  if (pathname === "/") return <Navigate to="/work" replace />
  if (withoutEnd(pathname) === "/work") return <WorkListPage />
  const path = pageOf(withoutEnd(pathname))
  return path === undefined ? <NotFound /> : <PageWhenLoaded key={path} path={path} />
}

/**
 * A page whose code is loaded when the page is first shown. It appears as soon as its code has arrived. With `lazy` and `Suspense` React would
 * show the placeholder for 300 ms at least.
 */
function PageWhenLoaded({ path }: { path: Path }) {
  const [Page, setPage] = useState(() => loaded.get(path))
  useEffect(() => {
    if (Page !== undefined) return
    loadPage(path).then(
      () => setPage(() => loaded.get(path)),
      (error: unknown) =>
        setPage(() => {
          // The boundary around the page says that its code did not arrive.
          throw error
        }),
    )
  }, [Page, path])
  return Page === undefined ? <Loading /> : <Page />
}

const withoutEnd = (pathname: string): string => pathname.replace(/\/$/, "")
