import type { ReactNode } from "react"
import styles from "./facts.module.css"

/** A list of names with what they say. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles["facts"]}>{children}</dl>
}

/** One line of `Facts`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
