/** The menu, at the left, or at the bottom on a phone. */
import { type MouseEvent, type ReactNode, useId, useState } from "react"
import { useQuery } from "@tanstack/react-query"
import { Link, useLocation } from "react-router"
import type { SavedView, SignedIn } from "../../contract/desk-people.ts"
import { newsOptions } from "../client/news.ts"
import { addressOfView, builtInViews, useSavedViews } from "../client/own-saved-views.ts"
import { Icon, type IconName } from "../ui/icon.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import { modKey } from "../ui/shortcuts.ts"
import { part } from "../ui/part.tsx"
import { useIsPhone } from "../ui/use-is-phone.ts"
import styles from "./shell.module.css"
import {
  countLabel,
  countText,
  totalOf,
  useWaitingCount,
  useWaitingCounts,
  type WaitingCount,
  type WaitingCounts,
} from "./waiting-counts.ts"

const MorePanel = part("More", async () => (await import("./more-panel.tsx")).MorePanel)
const SavedViewLinks = part("Views", async () => (await import("./saved-view-links.tsx")).SavedViewLinks)

type PlaceProps = {
  to: string
  name: string
  icon: IconName
  /** Whether the shown page belongs to this place. */
  current?: boolean
  waiting?: WaitingCount | undefined
  /** A grey number in place of the count. It describes the link. */
  number?: ReactNode
}

/** A link to a page. The count of items that need the person is a badge. */
export function Place({ to, name, icon, current, waiting, number }: PlaceProps) {
  const { pathname } = useLocation()
  const numberId = useId()
  return (
    <Link
      to={to}
      className={styles["link"]}
      aria-label={countLabel(name, waiting)}
      {...(number !== undefined && { "aria-label": name, "aria-describedby": numberId })}
      aria-current={(current ?? pathname === to) ? "page" : undefined}
    >
      <Icon name={icon} size={17} />
      {name}
      <Count waiting={waiting} className={waiting?.count === 0 ? styles["number"] : styles["badge"]} />
      {number !== undefined && (
        <span id={numberId} className={styles["number"]}>
          {number}
        </span>
      )}
    </Link>
  )
}

type CountProps = { waiting: WaitingCount | undefined; className: string | undefined }

function Count({ waiting, className }: CountProps) {
  const count = countText(waiting)
  return (
    count !== "" && (
      <>
        {" "}
        <span className={className}>{count}</span>
      </>
    )
  )
}

/** How much Work is new to the person. */
function NewCount() {
  const { data } = useQuery(newsOptions)
  return data && data.total > 0 ? (
    <>
      {data.total}
      <span className="visually-hidden"> new to you</span>
    </>
  ) : null
}

const WorkPlace = () => (
  <Place
    to="/work"
    name="Work"
    icon="work"
    current={/^\/work(\/(?!new$)|$)/.test(useLocation().pathname)}
    number={<NewCount />}
  />
)

/** The addresses of the questions and the approvals, which belong to the page `Needs You`. */
const QUESTIONS = "/needs-you?kind=questions"
const APPROVALS = "/approvals"

function NeedsYouPlace({ isPhone }: { isPhone: boolean }) {
  const { pathname, search } = useLocation()
  const isQuestions = new URLSearchParams(search).get("kind") === "questions"
  const isHere = pathname === "/needs-you" && !isQuestions
  return (
    <Place
      to="/needs-you"
      name="Needs You"
      icon="needs-you"
      current={isPhone ? pathname === "/needs-you" || pathname === APPROVALS : isHere}
      waiting={totalOf(useWaitingCounts())}
    />
  )
}

/** The link to one kind of item that needs the person. */
function KindLink({ to, name, of }: { to: string; name: string; of: keyof WaitingCounts }) {
  const { pathname, search } = useLocation()
  const [path = "", query] = to.split("?")
  const isCurrent =
    pathname === path && (query === undefined || new URLSearchParams(search).get("kind") === "questions")
  const waiting = useWaitingCount(of)
  return (
    <Link
      to={to}
      className={styles["view"]}
      aria-label={countLabel(name, waiting)}
      aria-current={isCurrent ? "page" : undefined}
    >
      {name}
      <Count waiting={waiting} className={styles["number"]} />
    </Link>
  )
}

/** The views of the list of Work: the built-in views, and the person's own views. */
export function ListViews({ session }: { session: SignedIn }) {
  const saved = useSavedViews()
  return (
    <div className={styles["views"]}>
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

export type MenuProps = { session: SignedIn; onHelp: () => void; onGoTo: () => void }

export function Menu(props: MenuProps) {
  const isPhone = useIsPhone()
  return (
    <header className={styles["side"]}>
      <div className={styles["mark"]}>
        <Icon name="mark" size={20} />
        Workdesk
      </div>
      <nav className={styles["nav"]} aria-label="Main">
        {isPhone ? <PhonePlaces {...props} /> : <SidePlaces {...props} />}
      </nav>
    </header>
  )
}

const Group = ({ children }: { children: ReactNode }) => <div className={styles["group"]}>{children}</div>

function SidePlaces(props: MenuProps) {
  return (
    <>
      <Group>
        <NeedsYouPlace isPhone={false} />
        <div className={styles["views"]}>
          <KindLink to={QUESTIONS} name="Questions" of="clarifications" />
          <KindLink to={APPROVALS} name="Approvals" of="approvals" />
        </div>
      </Group>
      <Group>
        <WorkPlace />
        <ListViews session={props.session} />
      </Group>
      <Group>
        <Place to="/overview" name="Overview" icon="overview" />
        <Place to="/work/new" name="New Work" icon="new" />
        <Place to="/record" name="Record" icon="record" />
      </Group>
      <div className={styles["foot"]}>
        <More {...props} isPhone={false} />
        <Tool icon="search" name="Go to" title={`Go to (${modKey} K)`} onClick={props.onGoTo} />
      </div>
    </>
  )
}

function PhonePlaces(props: MenuProps) {
  return (
    <div className={styles["places"]}>
      <NeedsYouPlace isPhone />
      <WorkPlace />
      <Place to="/work/new" name="New Work" icon="new" />
      <Place to="/overview" name="Overview" icon="overview" />
      <More {...props} isPhone />
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

/** The button at the end of the menu, and its panel, whose code is loaded before the button can be pressed. */
function More({ isPhone, ...props }: MenuProps & { isPhone: boolean }) {
  const { mode, person } = props.session
  const panelId = useId()
  const [wasOpened, setWasOpened] = useState(false)
  // A failure is shown where the panel opens.
  const preload = () => void MorePanel.load().catch(() => undefined)
  const hide = () => document.getElementById(panelId)?.hidePopover()
  const hideAfterLink = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest("a") !== null) hide()
  }
  return (
    <>
      <button
        type="button"
        className={styles[isPhone ? "link" : "more"]}
        popoverTarget={panelId}
        onPointerEnter={preload}
        onFocus={preload}
      >
        {mode === "sign-in" && !isPhone ? (
          <>
            <span className={styles["initials"]} aria-hidden="true">
              {initialsOf(person.name)}
            </span>
            <span className={styles["name"]}>
              <OutsideText>{person.name}</OutsideText>
            </span>
          </>
        ) : (
          <>
            <Icon name="more" size={17} />
            More
          </>
        )}
      </button>
      {/* A link in the panel opens another page, which the panel must not cover. */}
      <div
        id={panelId}
        popover="auto"
        role="presentation"
        className={styles["panel"]}
        onBeforeToggle={({ newState }) => newState === "open" && setWasOpened(true)}
        onClick={hideAfterLink}
      >
        {wasOpened && <MorePanel {...props} isPhone={isPhone} onLeave={hide} />}
      </div>
    </>
  )
}

/** The initials of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen
    .map((word = "") => /^\p{L}/u.exec(word)?.[0] ?? "")
    .join("")
    .toUpperCase()
}
