import type { ComponentProps } from "react"
import { Link } from "react-router"
import styles from "./button.module.css"
import { classes } from "./classes.ts"

type Look = {
  /** `primary` is for the main action of its surroundings; `plain` has no edge. */
  kind?: "primary" | "secondary" | "plain" | "danger"
  size?: "small" | "medium"
}

const look = ({ kind = "secondary", size = "medium" }: Look, own: string | undefined): string =>
  classes(styles["button"], kind !== "secondary" && styles[kind], size === "small" && styles["small"], own)

type ButtonProps = ComponentProps<"button"> &
  Look & {
    /**
     * The button does nothing for now, and assistive technology says so. It keeps the focus, which a browser takes away from a `disabled`
     * button.
     */
    inactive?: boolean
  }

/** A button that does not submit a form unless `type="submit"` says so. */
export function Button({ kind, size, className, inactive = false, onClick, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={look({ ...(kind && { kind }), ...(size && { size }) }, className)}
      {...(inactive && { "aria-disabled": true })}
      onClick={(event) => {
        if (inactive) event.preventDefault()
        else onClick?.(event)
      }}
      {...rest}
    />
  )
}

/** A link that looks like a button, for a way to another page. */
export function ButtonLink({ kind, size, className, ...rest }: ComponentProps<typeof Link> & Look) {
  return <Link className={look({ ...(kind && { kind }), ...(size && { size }) }, className)} {...rest} />
}
