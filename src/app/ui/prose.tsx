import styles from "./prose.module.css"
import { OutsideText } from "./outside-text.tsx"

/** A text from outside in a comfortable measure, its line breaks kept. */
export function Prose({ children }: { children: string }) {
  return (
    <div className={styles["prose"]}>
      <OutsideText multiline>{children}</OutsideText>
    </div>
  )
}
