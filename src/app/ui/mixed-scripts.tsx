import { mixedScripts } from "./deceptive-text.ts"
import { Icon } from "./icon.tsx"
import styles from "./mixed-scripts.module.css"
import { OutsideText } from "./outside-text.tsx"

/** Names the scripts that words of `text` mix. Renders nothing where no word mixes scripts. */
export function MixedScripts({ text }: { text: string }) {
  const mixed = mixedScripts(text)
  if (mixed.length === 0) return null
  const names = [...new Set(mixed.flatMap(({ scripts }) => scripts))].join(", ")
  return (
    <span className={styles["mark"]}>
      <Icon name="warning" size={14} />
      <span>
        Mixed scripts: {names} in “<OutsideText>{mixed.map(({ word }) => word).join("”, “")}</OutsideText>”
      </span>
    </span>
  )
}
