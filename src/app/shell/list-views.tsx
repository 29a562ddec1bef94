import { Link, useLocation } from "react-router"
import type { SavedView } from "../../contract/desk-people.ts"
import { builtInViews, useSavedViews } from "../client/saved-views.ts"
import { OutsideText } from "../ui/outside-text.tsx"
import { part } from "../ui/part.tsx"
import styles from "./shell.module.css"

const SavedViewLinks = part("Your views", async () => (await import("./saved-view-links.tsx")).SavedViewLinks)

/** The views of the list, shown below `Work`: the built-in views, and those of the person. */
export function ListViews() {
  const saved = useSavedViews()
  const isOnList = useLocation().pathname === "/work"
  return (
    <div className={styles["views"]} data-on-list={isOnList}>
      {builtInViews.map((view) => (
        <ViewLink key={view.name} view={view} />
      ))}
      {saved.length > 0 && <SavedViewLinks views={saved} />}
    </div>
  )
}

/** A link that opens the list with the query of a view. */
export function ViewLink({ view }: { view: SavedView }) {
  const { pathname, search } = useLocation()
  const isCurrent = pathname === "/work" && search === `?${view.query}`
  return (
    <Link to={`/work?${view.query}`} className={styles["view"]} aria-current={isCurrent ? "page" : undefined}>
      <OutsideText>{view.name}</OutsideText>
    </Link>
  )
}
