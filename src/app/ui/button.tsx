import { type ComponentProps, type MouseEvent, useId } from "react"
import { Link } from "react-router"
import styles from "./button.module.css"
import { classes } from "./classes.ts"
import { writeHidden } from "./hidden-characters.ts"

type Look = {
  /** `primary` is for the main action of its surroundings; `plain` has no edge. */
  kind?: "primary" | "secondary" | "plain" | undefined
  size?: "small" | "medium" | undefined
}

const look = ({ kind = "secondary", size = "medium" }: Look, own: string | undefined): string =>
  classes(styles["button"], kind !== "secondary" && styles[kind], size === "small" && styles["small"], own)

type ButtonProps = ComponentProps<"button"> &
  Look & {
    /**
     * The button does nothing for now, and assistive technology says so. A text says why; where everybody has to read it, the page shows it too. A
     * browser would take the focus away from a `disabled` button.
     */
    inactive?: boolean | string | undefined
    /** Called instead of `onClick` while the button does nothing. */
    onIdleClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined
  }

/** A button that does not submit a form unless `type="submit"` says so. */
export function Button(props: ButtonProps) {
  const { kind, size, className, inactive = false, onClick, onIdleClick, ...rest } = props
  const reasonId = useId()
  const doesNothing = inactive !== false
  const reason = typeof inactive === "string" ? inactive : undefined
  return (
    <>
      <button
        type="button"
        className={look({ kind, size }, className)}
        {...(doesNothing && { "aria-disabled": true })}
        {...(reason !== undefined && { "aria-describedby": reasonId })}
        onClick={(event) => {
          if (doesNothing) {
            event.preventDefault()
            onIdleClick?.(event)
          } else onClick?.(event)
        }}
        {...rest}
      />
      {reason !== undefined && (
        <span id={reasonId} hidden>
          {writeHidden(reason)}
        </span>
      )}
    </>
  )
}

/** A link that looks like a button, for a way to another page. */
export function ButtonLink({ kind, size, className, ...rest }: ComponentProps<typeof Link> & Look) {
  return <Link className={look({ kind, size }, className)} {...rest} />
}
