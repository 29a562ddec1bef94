import styles from "./skeleton.module.css"

/** A placeholder for a text that is not loaded yet; `width` is in any CSS unit. Hidden from assistive technology. */
export function Skeleton({ width }: { width: string }) {
  return <span aria-hidden="true" className={styles["bar"]} style={{ width }} />
}
