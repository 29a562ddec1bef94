import { type ReactNode, useCallback, useLayoutEffect, useMemo, useState } from "react"
import { Router, UNSAFE_createBrowserHistory as createBrowserHistory, useLocation, useNavigate } from "react-router"

const history = createBrowserHistory({ v5Compat: true })

/**
 * Makes the address of the browser known to React Router. React Router's own `BrowserRouter` and `useSearchParams` bring its framework mode,
 * which nothing here uses, and which makes the first load 4 kB (brotli) larger. Without transitions the old page goes at once when a new
 * one is opened, and does not wait for the new code.
 */
export function AppRouter({ children }: { children: ReactNode }) {
  const [{ action, location }, setState] = useState({ action: history.action, location: history.location })
  useLayoutEffect(() => history.listen(setState), [])
  return (
    <Router location={location} navigationType={action} navigator={history} useTransitions={false}>
      {children}
    </Router>
  )
}

type Change = (before: URLSearchParams) => URLSearchParams

/** The query of the address, and a function that puts another one in its place in the history. */
export function useSearchParams(): readonly [search: URLSearchParams, replace: (change: Change) => void] {
  const { search } = useLocation()
  const navigate = useNavigate()
  const parameters = useMemo(() => new URLSearchParams(search), [search])
  const replace = useCallback(
    (change: Change) => void navigate(`?${change(new URLSearchParams(history.location.search))}`, { replace: true }),
    [navigate],
  )
  return [parameters, replace]
}
