/** The tabs of the inbox: both kinds of items, or one. */
import { Link } from "react-router"
import { addressIn, type InboxPage, type InboxView, readInboxView, writeInboxView } from "./inbox-view.ts"
import styles from "./kinds.module.css"

const TABS = [
  { label: "All", page: "/needs-you", kind: undefined },
  { label: "Questions", page: "/needs-you", kind: "questions" },
  { label: "Approvals", page: "/approvals", kind: undefined },
] as const

/** The links keep the filters that apply to the other kind. */
export function Kinds({ page, view }: { page: InboxPage; view: InboxView }) {
  return (
    <nav className={styles["tabs"]} aria-label="Kinds">
      {TABS.map((tab) => {
        const query = new URLSearchParams(writeInboxView({ ...view, kind: tab.kind }))
        return (
          <Link
            key={tab.label}
            to={addressIn(tab.page, writeInboxView(readInboxView(query, tab.page)))}
            className={styles["tab"]}
            aria-current={tab.page === page && tab.kind === view.kind ? "page" : undefined}
          >
            {tab.label}
          </Link>
        )
      })}
    </nav>
  )
}
