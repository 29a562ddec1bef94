import styles from "./changed-text.module.css"
import { MixedScripts } from "./mixed-scripts.tsx"
import { OutsideText } from "./outside-text.tsx"

type Props = {
  children: string
  /** What stood there before, where it is to be shown that it changed. */
  was?: string | undefined
  multiline?: boolean
}

/** A word from outside with its guard against look-alikes; where it changed, old and new both in full. */
export function ChangedText({ children, was, multiline = false }: Props) {
  const now = (
    <>
      <OutsideText multiline={multiline}>{children}</OutsideText> <MixedScripts text={children} />
    </>
  )
  if (was === undefined || was === children) return now
  return (
    <span className={styles["pair"]}>
      <del className={styles["old"]}>
        <span className={styles["label"]}>Before</span>
        <OutsideText multiline={multiline}>{was}</OutsideText> <MixedScripts text={was} />
      </del>
      <ins className={styles["new"]}>
        <span className={styles["label"]}>Now</span>
        {now}
      </ins>
    </span>
  )
}
