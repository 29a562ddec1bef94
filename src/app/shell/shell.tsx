import { lazy, type ReactNode, Suspense, useCallback, useRef, useState, useSyncExternalStore } from "react"
import { useLocation } from "react-router"
import { type Presence, useSessionState } from "../client/session.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice } from "../ui/notice.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { useBadges } from "./badges.ts"
import { Boundary } from "./boundary.tsx"
import { useFocusOnNavigation, useScrollPositions } from "./scroll-and-focus.ts"
import { Menu } from "./menu.tsx"
import { PaletteLoader } from "./palette-loader.tsx"
import styles from "./shell.module.css"
import { useWaitingCounts } from "./waiting-counts.ts"

const SignIn = lazy(async () => ({ default: (await import("./sign-in.tsx")).SignIn }))
const NoRole = lazy(async () => ({ default: (await import("./no-role.tsx")).NoRole }))
const ShortcutsHelp = lazy(async () => ({ default: (await import("./shortcuts-help.tsx")).ShortcutsHelp }))

/** Shows a page of the app, or the way to sign in, by the state of the session. */
export function Shell({ children }: { children: ReactNode }) {
  const state = useSessionState()
  switch (state.kind) {
    case "loading":
      return <Loading />
    case "failed":
      return (
        <main className={styles["notice"]}>
          <ErrorAlert error={state.error} retryAt={state.error.retryAt} />
        </main>
      )
    case "signed-out":
      return (
        <Suspense fallback={<Loading />}>
          <SignIn />
        </Suspense>
      )
    case "signed-in":
    case "locked":
      return state.session.person.roles.length === 0 ? (
        <Suspense fallback={<Loading />}>
          <NoRole session={state.session} locked={state.kind === "locked"} />
        </Suspense>
      ) : (
        <Frame session={state.session} locked={state.kind === "locked"}>
          {children}
        </Frame>
      )
  }
}

/** The frame of every page: the menu, the counts, the shortcuts, and the boundary for errors. */
function Frame({ session, locked, children }: Presence & { children: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  const [dialog, setDialog] = useState<"help" | "palette">()
  const close = useCallback(() => setDialog(undefined), [])
  const openHelp = useCallback(() => setDialog("help"), [])
  const openPalette = useCallback(() => setDialog("palette"), [])
  const waiting = useWaitingCounts()
  const online = useOnline()
  const { pathname } = useLocation()
  useBadges(waiting)
  useScrollPositions()
  useFocusOnNavigation(main)
  useShortcuts({ "?": openHelp, "mod+k": openPalette })
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
      <Menu session={session} locked={locked} waiting={waiting} onHelp={openHelp} onGoTo={openPalette} />
      <main id="main" ref={main} tabIndex={-1} className={styles["main"]}>
        {!online && (
          <div className={styles["notice"]}>
            <Notice announce="status" tone="warn" icon="offline" compact>
              You are offline. This page may be out of date. What you type is kept. The page is read again when you are
              online.
            </Notice>
          </div>
        )}
        {dialog === "help" && (
          <Boundary page={pathname} part="Keyboard shortcuts">
            <Suspense>
              <ShortcutsHelp onClose={close} />
            </Suspense>
          </Boundary>
        )}
        {dialog === "palette" && (
          <Boundary page={pathname} part="Go to">
            <PaletteLoader session={session} waiting={waiting} onHelp={openHelp} onClose={close} />
          </Boundary>
        )}
        <Boundary page={pathname}>
          {/* With a key the old page goes at once. Without one React would keep it in the page, hidden, until the new code has come. */}
          <Suspense key={pathname} fallback={<Loading />}>
            {children}
          </Suspense>
        </Boundary>
      </main>
    </div>
  )
}

export function Loading() {
  return (
    <div className={styles["loading"]} aria-busy="true">
      <span className="visually-hidden">Loading the page</span>
      <Skeleton width="180px" />
      <Skeleton width="min(520px, 80%)" />
      <Skeleton width="min(460px, 70%)" />
    </div>
  )
}

const listenToNetwork = (listener: () => void): (() => void) => {
  addEventListener("online", listener)
  addEventListener("offline", listener)
  return () => {
    removeEventListener("online", listener)
    removeEventListener("offline", listener)
  }
}

/** False when the browser knows that it has no network. True promises nothing. */
const useOnline = (): boolean => useSyncExternalStore(listenToNetwork, () => navigator.onLine)
