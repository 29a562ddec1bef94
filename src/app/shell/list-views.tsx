import { lazy, Suspense } from "react"
import { useLocation } from "react-router"
import { builtInViews, useSavedViews } from "../client/views.ts"
import { Boundary } from "./boundary.tsx"
import styles from "./shell.module.css"
import { ViewLink } from "./view-link.tsx"

const SavedViewLinks = lazy(async () => ({ default: (await import("./saved-view-links.tsx")).SavedViewLinks }))

/** The views of the list, shown below `Work`: the built-in views, and those of the person. */
export function ListViews() {
  const saved = useSavedViews()
  const isOnList = useLocation().pathname === "/work"
  return (
    <div className={styles["views"]} data-on-list={isOnList}>
      {builtInViews.map((view) => (
        <ViewLink key={view.name} view={view} />
      ))}
      {saved.length > 0 && (
        <Boundary page="" part="Your views">
          <Suspense>
            <SavedViewLinks views={saved} />
          </Suspense>
        </Boundary>
      )}
    </div>
  )
}
