import { useSingleKeys } from "./shortcuts.ts"
import styles from "./kbd.module.css"

/** A key as it is printed on the keyboard. */
export function Kbd({ children }: { children: string }) {
  return <kbd className={styles["kbd"]}>{children}</kbd>
}

/**
 * The keys of a page in a line: `[["J", "K"], "next, previous"]`. Hidden where the person has switched the keys off, and by the style
 * sheet where there is probably no keyboard.
 */
export function KeyHints({ hints }: { hints: readonly (readonly [keys: readonly string[], does: string])[] }) {
  const [areOn] = useSingleKeys()
  if (!areOn) return null
  return (
    <div className={styles["hints"]}>
      {hints.map(([keys, does]) => (
        <span key={does}>
          {keys.map((key) => (
            <span key={key}>
              <Kbd>{key}</Kbd>{" "}
            </span>
          ))}
          {does}
        </span>
      ))}
    </div>
  )
}
