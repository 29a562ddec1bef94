import { type ReactNode, useCallback, useRef, useState, useSyncExternalStore } from "react"
import { useLocation } from "react-router"
import { useHasNewBuild } from "../client/new-build.ts"
import { type Presence, useSessionState } from "../client/session.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Notice } from "../ui/notice.tsx"
import { Boundary, part, ReloadNotice } from "../ui/part.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { Skeleton } from "../ui/skeleton.tsx"
import { useBadges, useNotifications } from "./badges.ts"
import { FailedPage } from "./failure.tsx"
import { useFocusOnNavigation, useScrollPositions } from "./scroll-and-focus.ts"
import { Menu } from "./menu.tsx"
import { CollectKeys, type PaletteProps } from "./palette-keys.tsx"
import styles from "./shell.module.css"
import { useWaitingCounts } from "./waiting-counts.ts"

const SignIn = part("Sign in", async () => (await import("./sign-in.tsx")).SignIn, { loading: Loading })
const NoRole = part("This page", async () => (await import("./no-role.tsx")).NoRole, { loading: Loading })
const ShortcutsHelp = part("Keyboard shortcuts", async () => (await import("./shortcuts-help.tsx")).ShortcutsHelp)
const Palette = part<PaletteProps>("Go to", async () => (await import("./palette.tsx")).Palette, {
  loading: CollectKeys,
})

const failedPage = (error: unknown) => <FailedPage error={error} />

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
      return <SignIn />
    case "signed-in":
    case "locked":
      return state.session.person.roles.length === 0 ? (
        <NoRole session={state.session} locked={state.kind === "locked"} />
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
  const closeHelp = useCallback(() => setDialog(undefined), [])
  // An entry of the palette may have opened the help.
  const closePalette = useCallback(() => setDialog((open) => (open === "palette" ? undefined : open)), [])
  const openHelp = useCallback(() => setDialog("help"), [])
  const typed = useRef("")
  const openPalette = useCallback(() => {
    typed.current = ""
    setDialog("palette")
  }, [])
  const waiting = useWaitingCounts()
  const online = useOnline()
  const hasNewBuild = useHasNewBuild()
  useBadges(waiting)
  useNotifications(waiting)
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
        {hasNewBuild && (
          <div className={styles["notice"]}>
            <ReloadNotice announce="status" icon="refresh">
              A new version of Workdesk is here. What you typed is kept when you reload the page.
            </ReloadNotice>
          </div>
        )}
        {dialog === "help" && <ShortcutsHelp onClose={closeHelp} />}
        {dialog === "palette" && (
          <Palette session={session} waiting={waiting} typed={typed} onHelp={openHelp} onClose={closePalette} />
        )}
        <Boundary of={useLocation().key} replace={failedPage}>
          {children}
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
