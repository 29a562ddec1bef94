import { memo } from "react"
import { Fact } from "./facts.tsx"
import styles from "./changed-text.module.css"
import { MixedScripts } from "./mixed-scripts.tsx"
import { OutsideText } from "./outside-text.tsx"

type Props = {
  children: string
  /** The text before the change, where the change is shown. */
  was?: string | undefined
  multiline?: boolean
}

/** A text from outside, with its marks for look-alikes. Where the text changed, old and new are both shown in full. */
export const ChangedText = memo(function ChangedText({ children, was, multiline = false }: Props) {
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
})

/** A line of `Facts` whose value may have changed. */
export function ChangedFact({ name, ...text }: Props & { name: string }) {
  return (
    <Fact name={name}>
      <ChangedText {...text} />
    </Fact>
  )
}
