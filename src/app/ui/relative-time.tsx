import { useState } from "react"
import { classes } from "./classes.ts"
import { useClock, useHasTicked } from "./clocks.tsx"
import { OutsideText } from "./outside-text.tsx"
import styles from "./relative-time.module.css"
import { formatExact, formatRelative, momentOf } from "./time-words.ts"

type Props = {
  /** A moment in ISO 8601. Any other text is shown as it is. */
  at: string
  /** Only the age, without "ago". */
  bare?: boolean
  /** False inside a link. The link then shows the exact moment when it has the focus. */
  focusable?: boolean
  className?: string
}

/** A moment relative to now, kept current. Hover and focus show it exactly, in the zone of the reader. */
export function RelativeTime({ at, bare = false, focusable = true, className }: Props) {
  const [focused, setFocused] = useState(false)
  // The first format of a page makes a browser load its data of languages, for 25 ms. The first rows do not wait for that.
  const hasTicked = useHasTicked()
  const moment = momentOf(at)
  const words = useClock((now) => (moment === undefined ? "" : formatRelative(moment, now, bare)))
  if (moment === undefined)
    return (
      <span className={classes(styles["invalid"], className)}>
        <OutsideText>{at}</OutsideText>
      </span>
    )
  const exact = hasTicked || focused ? formatExact(at) : undefined
  return (
    <time
      dateTime={at}
      title={exact}
      className={classes(styles["time"], !focusable && styles["unfocusable"], className)}
      {...(focusable && { tabIndex: 0, onFocus: () => setFocused(true), onBlur: () => setFocused(false) })}
    >
      {words}
      {focused && (
        <span role="tooltip" className={styles["exact"]}>
          {exact}
        </span>
      )}
    </time>
  )
}
