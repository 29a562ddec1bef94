import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useCallback, useRef, useState, useSyncExternalStore } from "react"
import { useLocation } from "react-router"
import type { SignedIn } from "../../contract/desk-people.ts"
import { absenceOptions } from "../client/absence.ts"
import type { DeskError } from "../client/desk-error.ts"
import { onEvents } from "../client/create-store.ts"
import { useSession, useSessionState } from "../client/session.ts"
import { ErrorAlert } from "../ui/error-alert.tsx"
import { Boundary, MissingPart, Nothing, part, ReloadButton } from "../ui/part.tsx"
import { useShortcuts } from "../ui/shortcuts.ts"
import { PageTitle, Skeleton } from "../ui/page-parts.tsx"
import { FailedPage } from "./page-failed.tsx"
import { useFocusOnNavigation, useScrollPositions } from "./scroll-and-focus.ts"
import { Menu } from "./menu.tsx"
import type { PaletteProps } from "./palette.tsx"
import type { BannerProps } from "../ui/banner.tsx"
import styles from "./shell.module.css"
import { WaitingSigns } from "./waiting-signs.ts"
import { deskNow } from "../client/clock.ts"
import { useWaiting, waitingError } from "../client/waiting.ts"
import { useClock } from "../ui/clocks.tsx"
import { formatClock } from "../ui/time-words.ts"

const SignIn = part("Sign in", async () => (await import("./entry-pages.tsx")).SignIn, { loading: Loading })
const NoRole = part("This page", async () => (await import("./entry-pages.tsx")).NoRole, { loading: Loading })
const SessionGuard = part("Session", async () => (await import("./session-guard.tsx")).SessionGuard)
const ShortcutsHelp = part("Keyboard shortcuts", async () => (await import("./shortcuts-help.tsx")).ShortcutsHelp)
const loadBanners = () => import("./page-banners.ts")
const FreezeBanner = part("Freeze", async () => (await loadBanners()).FreezeBanner)
const AbsenceBanner = part("Absence", async () => (await loadBanners()).AbsenceBanner, {
  missing: Nothing,
})
const Palette = part<PaletteProps>("Go to", async () => (await import("./palette.tsx")).Palette, {
  loading: Opening,
})

// If the desk is out of reach, the code of a banner can't be loaded either. Then only its words are shown.
const Banner = part<BannerProps>("", async () => (await loadBanners()).Banner, {
  loading: PlainBanner,
  missing: PlainBanner,
})
const Banners = part<Children>("", async () => (await loadBanners()).Banners, {
  loading: PlainBanners,
  missing: PlainBanners,
})

/** All other code is loaded this long after the page, so that it never delays what the page needs first. */
const LOAD_AHEAD_MS = 10_000
const loadAhead = () => import("./load-ahead.ts").then((code) => code.loadAhead()).catch(() => undefined)
addEventListener("load", () => setTimeout(() => void loadAhead(), LOAD_AHEAD_MS))

const WhatHappened = part("Error", async () => (await import("../ui/error-words.tsx")).WhatHappened, {
  missing: Nothing,
})

const missingMenu = () => <MissingPart name="The menu" />
type Children = { children: ReactNode }

const failedPage = (error: unknown) => <FailedPage error={error} />

/** Shows a page of the app, or the way to sign in, by the state of the session. */
export function Shell({ children }: { children: ReactNode }) {
  const state = useSessionState()
  switch (state.kind) {
    case "loading":
      return <Loading />
    case "failed":
      return (
        <main className={styles["callout"]}>
          <ErrorAlert error={state.error} retryAt={state.error.retryAt} />
        </main>
      )
    case "signed-out":
      return <SignIn />
    case "signed-in":
    case "locked": {
      const { kind, session } = state
      return (
        <>
          {session.mode === "sign-in" && <SessionGuard session={session} locked={kind === "locked"} />}
          {session.person.roles.length === 0 ? (
            <NoRole session={session} />
          ) : (
            <Frame session={session}>{children}</Frame>
          )}
        </>
      )
    }
  }
}

/** The frame of every page: the menu, the counts, the shortcuts, and the boundary for errors. */
function Frame({ session, children }: { session: SignedIn; children: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  const [dialog, setDialog] = useState<"help" | "palette">()
  // Where an entry of the palette has opened the help, the help stays open.
  const closePalette = () => setDialog((open) => (open === "palette" ? undefined : open))
  const openHelp = useCallback(() => setDialog("help"), [])
  const openPalette = () => setDialog("palette")
  const isFrozen = useWaiting(({ waiting }) => waiting?.freezes !== undefined)
  const { data: absence } = useQuery({ ...absenceOptions(), enabled: session.mode === "sign-in" })
  const error = useWaiting(waitingError)
  const online = useOnline()
  const hasNewBuild = useHasNewBuild()
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
      {/* Counts until the page has a title of its own. */}
      <PageTitle />
      <WaitingSigns />
      <Boundary replace={missingMenu}>
        <Menu session={session} onHelp={openHelp} onGoTo={openPalette} />
      </Boundary>
      <main id="main" ref={main} tabIndex={-1} className={styles["main"]}>
        {(isFrozen || absence?.away || !online || error || hasNewBuild) && (
          <Banners>
            {isFrozen && <FreezeBanner session={session} />}
            {absence?.away && <AbsenceBanner away={absence.away} etag={absence.etag} />}
            {online ? (
              error && <LastUpdate error={error} />
            ) : (
              <Outdated>You're offline, so this page may be out of date. What you type is kept.</Outdated>
            )}
            {hasNewBuild && (
              <Banner announce="status" icon="refresh" action={<ReloadButton />}>
                A new version of Workdesk is available. What you typed is kept.
              </Banner>
            )}
          </Banners>
        )}
        {dialog === "help" && <ShortcutsHelp onClose={() => setDialog(undefined)} />}
        {dialog === "palette" && <Palette session={session} onHelp={openHelp} onClose={closePalette} />}
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

const onNetwork = onEvents(globalThis, "online", "offline")

/** False when the browser knows that it has no network. True promises nothing. */
const useOnline = (): boolean => useSyncExternalStore(onNetwork, () => navigator.onLine)

/** The build whose files this page has loaded. The HTTP answer of the page names the build; else the first session does. */
let loadedBuild = performance
  .getEntriesByType("navigation")
  .flatMap((entry) => (entry instanceof PerformanceNavigationTiming ? entry.serverTiming : []))
  .find(({ name }) => name === "build")?.description

/** Whether the desk serves another build of the app than the one of this page. Nothing reloads by itself. */
function useHasNewBuild(): boolean {
  const build = useSession()?.build
  loadedBuild ??= build
  return build !== undefined && build !== loadedBuild
}

/** While the code of the palette is loading, no key acts as a shortcut of the page: nothing acts while a dialog is open. */
function Opening({ onClose }: PaletteProps) {
  const closeOnEscape = (element: HTMLElement | null) => {
    if (element === null) return undefined
    const ended = new AbortController()
    // The dialog is not modal and never has the focus, so Escape doesn't reach it.
    addEventListener("keydown", ({ key }) => key === "Escape" && onClose(), ended)
    return () => ended.abort()
  }
  return <dialog open ref={closeOnEscape} aria-label="Go to" aria-busy="true" className="visually-hidden" />
}

function PlainBanner({ children, action }: BannerProps) {
  return (
    <output className={styles["callout"]}>
      {children} {action}
    </output>
  )
}

function PlainBanners({ children }: Children) {
  return children
}

/** Says above a page why the page may be out of date. */
function Outdated({ children }: { children: ReactNode }) {
  return (
    <Banner announce="status" tone="warn" icon="offline">
      {children}
    </Banner>
  )
}

/**
 * A banner on every page: how long the desk, or the service behind it, has sent nothing new. It is mounted when the first answer is missing, so the
 * time counts from then.
 */
function LastUpdate({ error }: { error: DeskError }) {
  const [since] = useState(deskNow)
  const at = useClock((now) => formatClock(since, now))
  return (
    <Outdated>
      {error.kind === "unreachable" ? (
        `The desk hasn't responded since ${at}.`
      ) : (
        <>
          Last update {at}. <WhatHappened error={error} />
        </>
      )}{" "}
      Counts and lists may be out of date. What you type is kept.
    </Outdated>
  )
}
