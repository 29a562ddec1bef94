import type { ReactNode } from "react"
import { disguisedLabels, mixedScripts } from "./deceptive-text.ts"
import { Icon } from "./icon.tsx"
import styles from "./mixed-scripts.module.css"
import { OutsideText } from "./outside-text.tsx"

/**
 * Names the scripts that words of `text` mix, and the script of each label of an address that only looks Latin. Renders nothing where there is
 * no such word.
 */
export function MixedScripts({ text }: { text: string }) {
  const mixed = mixedScripts(text)
  const disguised = disguisedLabels(text)
  return (
    <>
      {mixed.length > 0 && (
        <Mark>
          Mixed scripts: {scriptsOf(mixed)} in {quoted(mixed)}
        </Mark>
      )}
      {disguised.length > 0 && (
        <Mark>
          {scriptsOf(disguised)}, not Latin: {quoted(disguised)}
        </Mark>
      )}
    </>
  )
}

type Words = ReturnType<typeof mixedScripts>

const scriptsOf = (words: Words) => [...new Set(words.flatMap(({ scripts }) => scripts))].join(", ")
const quoted = (words: Words) => (
  <>
    “<OutsideText>{words.map(({ word }) => word).join("”, “")}</OutsideText>”
  </>
)

function Mark({ children }: { children: ReactNode }) {
  return (
    <span className={styles["mark"]}>
      <Icon name="warning" size={14} />
      <span>{children}</span>
    </span>
  )
}
