import { Fragment } from "react"
import { Link, useLocation } from "react-router"
import type { SavedView, SignedIn } from "../../contract/desk-people.ts"
import { addressOfView, builtInViews, useSavedViews } from "../client/own-saved-views.ts"
import { type Page, pages } from "../pages.ts"
import { Icon, type IconName } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { modKey } from "../ui/shortcuts.ts"
import { part } from "../ui/part.tsx"
import styles from "./shell.module.css"
import { type Theme, themes, useTheme } from "./theme.ts"
import { countLabel, countText, useWaitingCount, type WaitingCount, type WaitingCounts } from "./waiting-counts.ts"

const PersonArea = part("Your menu", async () => (await import("./person-area.tsx")).PersonArea)
const SavedViewLinks = part("Your views", async () => (await import("./saved-view-links.tsx")).SavedViewLinks)

const menuPages = pages.filter(({ name, inPersonMenu }) => name !== undefined && !inPersonMenu)

const isAt = (pathname: string, path: string): boolean =>
  path === "/work" ? pathname !== "/work/new" && /^\/work(\/|$)/.test(pathname) : pathname === path

/** The pages whose links have a count. */
const INBOXES: Readonly<Record<string, keyof WaitingCounts | undefined>> = {
  "/needs-you": "clarifications",
  "/approvals": "approvals",
}

/** Alone rendered again when the count changes. */
const InboxLink = ({ page, of }: { page: Page; of: keyof WaitingCounts }) => (
  <PageLink page={page} waiting={useWaitingCount(of)} />
)

function PageLink({ page: { path, name, icon }, waiting }: { page: Page; waiting?: WaitingCount | undefined }) {
  const count = countText(waiting)
  return (
    <Link
      to={path}
      className={styles["link"]}
      aria-label={countLabel(name ?? "", waiting)}
      aria-current={isAt(useLocation().pathname, path) ? "page" : undefined}
    >
      {icon && <Icon name={icon} size={17} />}
      {name}
      {count !== "" && (
        <>
          {" "}
          <span className={styles["count"]}>{count}</span>
        </>
      )}
    </Link>
  )
}

/** The views, shown below `Work`: the built-in views of the list, and those of the person. */
function ListViews({ session }: { session: SignedIn }) {
  const saved = useSavedViews()
  const isOnList = useLocation().pathname === "/work"
  return (
    <div className={styles["views"]} data-on-list={isOnList}>
      {builtInViews(session).map((view) => (
        <ViewLink key={view.name} view={view} />
      ))}
      {saved.length > 0 && <SavedViewLinks views={saved} />}
    </div>
  )
}

/** A link that opens a view. */
export function ViewLink({ view }: { view: SavedView }) {
  const { pathname, search } = useLocation()
  const to = addressOfView(view)
  const isCurrent = pathname + search === to
  return (
    <Link to={to} className={styles["view"]} aria-current={isCurrent ? "page" : undefined}>
      <OutsideText>{view.name}</OutsideText>
    </Link>
  )
}

type Props = { session: SignedIn; onHelp: () => void; onGoTo: () => void }

/** The menu: at the left side, on a phone at the bottom. */
export function Menu({ session, onHelp, onGoTo }: Props) {
  const linkTo = (page: Page) => {
    const inbox = INBOXES[page.path]
    return inbox === undefined ? <PageLink page={page} /> : <InboxLink page={page} of={inbox} />
  }
  return (
    <header className={styles["side"]}>
      <div className={styles["mark"]}>
        <Icon name="mark" size={22} />
        Workdesk
      </div>
      <nav className={styles["nav"]} aria-label="Main">
        <div className={styles["places"]}>
          {menuPages.map((page) => (
            <Fragment key={page.path}>
              {linkTo(page)}
              {page.path === "/work" && <ListViews session={session} />}
            </Fragment>
          ))}
        </div>
        {session.mode === "sign-in" && <PersonArea person={session.person} />}
      </nav>
      <Foot session={session} onHelp={onHelp} onGoTo={onGoTo} />
    </header>
  )
}

const themeIcons: Readonly<Record<Theme, IconName>> = { system: "system", light: "sun", dark: "moon" }

function Foot({ session, onHelp, onGoTo }: Props) {
  const [theme, chooseTheme] = useTheme()
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system"
  const upstream = session.upstream === "embedded" ? "Embedded" : session.upstream
  return (
    <div className={styles["foot"]}>
      <span className={styles["upstream"]} title={`${upstream} · Workdesk ${session.version}`}>
        {upstream}
      </span>
      <Tool icon="search" name="Go to" title={`Go to (${modKey} K)`} onClick={onGoTo} />
      {session.mode === "local" && (
        <Link to="/notices" className={styles["tool"]} aria-label="Notices" title="Notices">
          <Icon name="bell" />
        </Link>
      )}
      <Tool
        icon={themeIcons[theme]}
        name={`Theme: ${theme}. Change to ${next}`}
        title={`Theme: ${theme}`}
        onClick={() => chooseTheme(next)}
      />
      <Tool icon="keyboard" name="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick={onHelp} />
    </div>
  )
}

function Tool({ icon, name, title, onClick }: { icon: IconName; name: string; title: string; onClick: () => void }) {
  return (
    <button type="button" className={styles["tool"]} aria-label={name} title={title} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}
