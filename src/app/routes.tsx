import { type ComponentType, lazy, type ReactNode, useEffect, useState } from "react"
import { type Location, Navigate, useLocation } from "react-router"
import { pageOf, pages } from "./pages.ts"
import { Loading, Shell } from "./shell/shell.tsx"
import WorkListPage from "./work/work-list-page.tsx"

const NotFound = lazy(async () => ({ default: (await import("./shell/not-found.tsx")).NotFound }))
const loadedPages = Object.fromEntries(Object.entries(pages).map(([path, load]) => [path, pageWhenLoaded(load)]))

/** Shows the page of the present address. React Router's own `Routes` would make the first load 4 kB (brotli) larger. */
export function AppRoutes() {
  return <Shell>{pageAt(useLocation())}</Shell>
}

function pageAt({ pathname }: Location): ReactNode {
  if (pathname === "/") return <Navigate to="/work" replace />
  const path = pathname.replace(/\/$/, "")
  if (path === "/work") return <WorkListPage />
  const Page = loadedPages[pageOf(path) ?? ""] ?? NotFound
  return <Page />
}

/**
 * A page whose code is loaded when the page is first shown. It appears as soon as its code has arrived. With `lazy` and `Suspense` React would
 * show the placeholder for 300 ms at least.
 */
function pageWhenLoaded(load: () => Promise<{ default: ComponentType }>): ComponentType {
  let Loaded: ComponentType | undefined
  return function PageWhenLoaded() {
    const [Page, setPage] = useState(() => Loaded)
    useEffect(() => {
      if (Page !== undefined) return
      const show = async () => {
        const module = await load()
        Loaded = module.default
        setPage(() => Loaded)
      }
      show().catch((error: unknown) =>
        setPage(() => {
          // The boundary around the page says that its code did not arrive.
          throw error
        }),
      )
    }, [Page])
    return Page === undefined ? <Loading /> : <Page />
  }
}
