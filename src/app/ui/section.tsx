import { type ReactNode, useId } from "react"
import styles from "./section.module.css"

/** A region of a page, named by its heading. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles["section"]}>
      <div className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
