import { type ReactNode, useId } from "react"
import styles from "./field.module.css"

/** What a control takes from its field: spread it on the input, textarea or select. */
export type ControlProps = { id: string; className: string; "aria-describedby"?: string; "aria-invalid"?: true }

type Props = {
  label: string
  /** A word after the label that is no part of its text, so that the label is found by its own words: "optional". */
  aside?: string
  hint?: ReactNode
  /** What is wrong with the value, in a sentence. */
  error?: string | undefined
  /** At the right under the control: a count. */
  count?: ReactNode
  children: (control: ControlProps) => ReactNode
}

/** A labelled control with its hint, its error and its count in their places. */
export function Field({ label, aside, hint, error, count, children }: Props) {
  const id = useId()
  const described = hint !== undefined || error !== undefined
  return (
    <div>
      <label htmlFor={id} className={styles["label"]}>
        {label}
        {aside !== undefined && <span aria-hidden="true" data-aside={aside} className={styles["optional"]} />}
      </label>
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
