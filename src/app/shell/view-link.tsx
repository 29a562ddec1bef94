import { useLocation } from "react-router"
import type { SavedView } from "../../contract/desk.ts"
import { Link } from "../ui/link.tsx"
import { OutsideText } from "../ui/outside-text.tsx"
import styles from "./shell.module.css"

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
