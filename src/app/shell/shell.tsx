import { lazy, Suspense, useRef, useState } from "react"
import { Outlet, useLocation } from "react-router"
import { Notice } from "../ui/notice.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { useBadges } from "./badges.ts"
import { Boundary } from "./boundary.tsx"
import { useFocusOnNavigation, useScrollPositions } from "./scroll-and-focus.ts"
import { useOnline } from "./online.ts"
import { Rail } from "./menu.tsx"
import styles from "./shell.module.css"
import { useWaiting } from "./use-waiting.ts"

const ShortcutsHelp = lazy(async () => ({ default: (await import("./shortcuts-help.tsx")).ShortcutsHelp }))

/** What stands around every page: the way around, the badges, the keys, and a way out of errors. */
export function Shell() {
  const main = useRef<HTMLElement>(null)
  const [help, setHelp] = useState(false)
  const waiting = useWaiting()
  const online = useOnline()
  const { pathname } = useLocation()
  useBadges(waiting)
  useScrollPositions()
  useFocusOnNavigation(main)
  useShortcuts({ "?": () => setHelp(true) })
  return (
    <div className={styles["desk"]}>
      <a
        href="#main"
        className={styles["skip"]}
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}
      >
        Skip to the page
      </a>
      <Rail waiting={waiting} onHelp={() => setHelp(true)} />
      <main id="main" ref={main} tabIndex={-1} className={styles["main"]}>
        {!online && (
          <div className={styles["notice"]}>
            <Notice announce="status" tone="warn" icon="offline" compact>
              You are offline. What you see may be out of date, and what you type is kept; Workdesk reads again as soon
              as the connection is back.
            </Notice>
          </div>
        )}
        <Boundary page={pathname}>
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </Boundary>
      </main>
      {help && (
        <Suspense>
          <ShortcutsHelp onClose={() => setHelp(false)} />
        </Suspense>
      )}
    </div>
  )
}

function Loading() {
  return (
    <div className={styles["loading"]} aria-busy="true">
      <span className="visually-hidden">Loading the page</span>
      <Skeleton width="180px" />
      <Skeleton width="min(520px, 80%)" />
      <Skeleton width="min(460px, 70%)" />
    </div>
  )
}
