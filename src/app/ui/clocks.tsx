/** What changes with the time: the present moment and countdowns. */
import { deskNow, steadyNow } from "../client/clock.ts"
import { createStore, useStore } from "../client/create-store.ts"
import { formatExact, formatRelative, formatWait, momentOf } from "./time-words.ts"
import styles from "./clocks.module.css"
import { type ReactNode, useState } from "react"
import { classes } from "./classes.ts"
import { OutsideText } from "./outside-text.tsx"

/** Changes every second. All clocks of the page share it, because a list shows hundreds of ages. */
const seconds = createStore(0, ({ get, set }) => {
  const timer = setInterval(() => set(get() + 1), 1000)
  return () => clearInterval(timer)
})

/** The present moment of the desk's clock in milliseconds since 1970, renewed every `everyMs`, at most once a second. */
export function useNow(everyMs = 1000): number {
  return useClock((now) => Math.floor(now / everyMs) * everyMs)
}

/**
 * The result of `read` for the present moment of the desk's clock (milliseconds since 1970), read every second. A component is rendered only when
 * the result changes.
 */
export function useClock<Value extends string | number | boolean | undefined>(read: (now: number) => Value): Value {
  return useStore(seconds, () => read(deskNow()))
}

/** Whether the page's clocks have run for a second. */
const useHasTicked = (): boolean => useStore(seconds, (passed) => passed > 0)

/**
 * "in 12 s", counting down to the moment `until` of `steadyNow`, then `done`. A screen reader does not read every second aloud:
 * the role `timer` is a live region that is off.
 */
export function Countdown({ until, done = "now" }: { until: number; done?: string }) {
  const words = useClock(() => {
    const left = until - steadyNow()
    return left > 0 ? `in ${formatWait(left)}` : done
  })
  return <span role="timer">{words}</span>
}

/** Whether `until`, a moment of `steadyNow`, is still to come; false where it is undefined. */
export function useIsWaiting(until: number | undefined): boolean {
  return useClock(() => until !== undefined && steadyNow() < until)
}

type ExactProps = {
  /** A moment in ISO 8601. */
  at: string
  /** False inside a link. The link then shows the exact moment when it has the focus. */
  focusable?: boolean | undefined
  className?: string | undefined
  /** The moment in words. */
  children: ReactNode
}

/**
 * Words for a moment. Hover, focus and touch show it exactly, in the zone of the reader. Within an alert or a status it is a live region that is
 * off, because a screen reader would be interrupted each minute.
 */
export function ExactTime({ at, focusable = true, className, children }: ExactProps) {
  const [focused, setFocused] = useState(false)
  // The first format of a page makes a browser load its data of languages, for 25 ms. The first rows do not wait for that.
  const hasTicked = useHasTicked()
  const exact = hasTicked || focused ? formatExact(at) : undefined
  return (
    <time
      dateTime={at}
      title={exact}
      aria-live="off"
      className={classes(styles["time"], !focusable && styles["unfocusable"], className)}
      {...(focusable && {
        tabIndex: 0,
        onFocus: () => setFocused(true),
        onBlur: () => setFocused(false),
        // A touch does not give every browser's elements the focus.
        onClick: ({ currentTarget }) => currentTarget.focus(),
      })}
    >
      {children}
      {focused && (
        <span role="tooltip" className={styles["exact"]}>
          {exact}
        </span>
      )}
    </time>
  )
}

type Props = Omit<ExactProps, "children"> & {
  /** Only the age, without "ago". */
  bare?: boolean
}

/** A moment relative to now, kept current. A text that is no moment is shown as it is. */
export function RelativeTime({ at, bare = false, ...exact }: Props) {
  const moment = momentOf(at)
  const words = useClock((now) => (moment === undefined ? "" : formatRelative(moment, now, bare)))
  if (moment === undefined)
    return (
      <span className={classes(styles["invalid"], exact.className)}>
        <OutsideText>{at}</OutsideText>
      </span>
    )
  return (
    <ExactTime at={at} {...exact}>
      {words}
    </ExactTime>
  )
}
