import type { ComponentProps } from "react"
import { Link } from "./link.tsx"
import styles from "./button.module.css"
import { classes } from "./classes.ts"

type Look = {
  /** `primary` is the one thing to do here; `plain` has no edge. */
  kind?: "primary" | "secondary" | "plain" | "danger"
  size?: "small" | "medium"
}

const look = ({ kind = "secondary", size = "medium" }: Look, own: string | undefined): string =>
  classes(styles["button"], kind !== "secondary" && styles[kind], size === "small" && styles["small"], own)

/** A button that does nothing to a form unless `type="submit"` says so. */
export function Button({ kind, size, className, type = "button", ...rest }: ComponentProps<"button"> & Look) {
  return <button type={type} className={look({ ...(kind && { kind }), ...(size && { size }) }, className)} {...rest} />
}

/** A link that looks like a button, for what leads to another page. */
export function ButtonLink({ kind, size, className, ...rest }: ComponentProps<typeof Link> & Look) {
  return <Link className={look({ ...(kind && { kind }), ...(size && { size }) }, className)} {...rest} />
}
