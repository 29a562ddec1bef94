import styles from "./skeleton.module.css"

/** The place of a text that is still to come, `width` in any CSS unit; hidden from assistive technology. */
export function Skeleton({ width }: { width: string }) {
  return <span aria-hidden="true" className={styles["bar"]} style={{ width }} />
}
