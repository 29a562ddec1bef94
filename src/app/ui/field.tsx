import { type ReactNode, useId } from "react"
import { classes } from "./classes.ts"
import styles from "./field.module.css"

/** The attributes that a control gets from its field. Spread them on the input, textarea or select. */
export type ControlProps = { id: string; className: string; "aria-describedby"?: string; "aria-invalid"?: true }

type Props = {
  label: string
  /** A word after the label, such as "optional". */
  aside?: string
  hint?: ReactNode
  /** What is wrong with the value, in a sentence. */
  error?: string | undefined
  /** Shown at the right under the control: a count. */
  count?: ReactNode
  children: (control: ControlProps) => ReactNode
}

/** The label of the control with the id `control`. `aside` is shown after the label and is no part of the control's name. */
export function FieldLabel({
  control,
  aside,
  children,
}: {
  control: string
  aside?: string | undefined
  children: string
}) {
  return (
    <label htmlFor={control} className={styles["label"]}>
      {children}
      {aside !== undefined && <span aria-hidden="true" data-aside={aside} className={styles["aside"]} />}
    </label>
  )
}

/** A labelled control with its hint, its error and its count in their places. */
export function Field({ label, aside, hint, error, count, children }: Props) {
  const id = useId()
  const described = hint !== undefined || error !== undefined
  return (
    <div>
      <FieldLabel control={id} aside={aside}>
        {label}
      </FieldLabel>
      {children({
        id,
        className: styles["control"] ?? "",
        ...(described && { "aria-describedby": `${id}-hint` }),
        ...(error !== undefined && { "aria-invalid": true as const }),
      })}
      {(described || count !== undefined) && (
        <div className={styles["under"]}>
          <span id={`${id}-hint`}>{error === undefined ? hint : <span className={styles["error"]}>{error}</span>}</span>
          {count}
        </div>
      )}
    </div>
  )
}

type CountProps = {
  count: number
  limit: number
  unit?: string
  /** The id by which the disabled button names this count as its reason. */
  id?: string
}

/**
 * "131 / 4,000", and how much of the text is too long. Only the last tenth is announced, or a screen reader would read a number at every key.
 * `count` is in Unicode code points (`countCharacters`), or in `unit`.
 */
export function CharacterCount({ count, limit, unit = "characters", id }: CountProps) {
  const over = count - limit
  return (
    <span
      id={id}
      aria-live={count > limit * 0.9 ? "polite" : "off"}
      className={classes("small soft", over > 0 && "over")}
    >
      {count.toLocaleString("en")} / {limit.toLocaleString("en")}
      {over > 0 &&
        ` · ${over.toLocaleString("en")} ${over === 1 && unit === "characters" ? "character" : unit} too many`}
    </span>
  )
}
