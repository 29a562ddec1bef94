import type { ReactNode } from "react"
import { Icon } from "../ui/icon.tsx"
import { usePageTitle } from "../ui/page-title.ts"
import styles from "./page-without-menu.module.css"

/** A page without the menu, for somebody who may not use the app yet. */
export function PageWithoutMenu({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title)
  return (
    <main className={styles["page"]}>
      <div className={styles["mark"]}>
        <Icon name="mark" size={22} />
        Workdesk
      </div>
      <h1>{title}</h1>
      {children}
    </main>
  )
}
