import { type ChangeEvent, type ComponentProps, type ReactNode, useId } from "react"
import { countCharacters } from "../../contract/limits.ts"
import { classes } from "./classes.ts"
import styles from "./field.module.css"
import { Options, type OptionsProps } from "./list-fields.tsx"
import { formatNumber, plural } from "../../contract/plural.ts"

type FieldProps = {
  label: string
  /** A word after the label, such as "optional". It is no part of the control's name. */
  aside?: string | undefined
  hint?: ReactNode | undefined
  /** What is wrong with the value, in a sentence. */
  error?: string | undefined
  /** How many characters the text may have. Then its count stands at the right under the control. */
  limit?: number | undefined
}

type LabelProps = { control: string; aside?: string | undefined; children: string }

/** The label of the control with the id `control`. */
export function FieldLabel({ control, aside, children }: LabelProps) {
  return (
    <label htmlFor={control} className={styles["label"]}>
      {children}
      {aside !== undefined && <span aria-hidden="true" data-aside={aside} className={styles["aside"]} />}
    </label>
  )
}

type ControlProps = { id: string; className: string; "aria-describedby"?: string; "aria-invalid"?: true }
type FrameProps = FieldProps & {
  text?: string
  className?: string | undefined
  children: (control: ControlProps) => ReactNode
}

/** A labelled control with its hint, its error and its count in their places. */
function Field({ label, aside, hint, error, limit, text = "", className, children }: FrameProps) {
  const id = useId()
  const described = hint !== undefined || error !== undefined
  return (
    <div>
      <FieldLabel control={id} aside={aside}>
        {label}
      </FieldLabel>
      {children({
        id,
        className: classes(styles["control"], className),
        ...(described && { "aria-describedby": `${id}-hint` }),
        ...(error !== undefined && { "aria-invalid": true as const }),
      })}
      {(described || limit !== undefined) && (
        <div className={styles["under"]}>
          <span id={`${id}-hint`}>{error === undefined ? hint : <span className={styles["error"]}>{error}</span>}</span>
          {limit !== undefined && error === undefined && <CharacterCount count={countCharacters(text)} limit={limit} />}
        </div>
      )}
    </div>
  )
}

type TextControl = { value: string; onText: (text: string) => void }
type TextProps<Tag extends "input" | "textarea"> = FieldProps &
  TextControl &
  Omit<ComponentProps<Tag>, "value" | "onChange">

/** A text of one line, or another `type` of HTML's input. */
export function TextField({ label, aside, hint, error, limit, className, ...input }: TextProps<"input">) {
  return (
    <Field {...{ label, aside, hint, error, limit, className }} text={input.value}>
      {(control) => <input type="text" autoComplete="off" {...handled(input)} {...control} />}
    </Field>
  )
}

/** A text of several lines. */
export function TextArea({ label, aside, hint, error, limit, className, ...area }: TextProps<"textarea">) {
  return (
    <Field {...{ label, aside, hint, error, limit, className }} text={area.value}>
      {(control) => <textarea {...handled(area)} {...control} />}
    </Field>
  )
}

const handled = <Rest extends TextControl>({ onText, ...rest }: Rest) => ({
  ...rest,
  onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onText(target.value),
})

type SelectProps<Value extends string> = Omit<FieldProps, "limit"> &
  OptionsProps<Value> &
  Omit<ComponentProps<"select">, "value"> & { onChoose: (value: Value | undefined) => void }

/** One of several choices. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, aside, hint, error, value, none, choices, onChoose, ...select } = props
  return (
    <Field {...{ label, aside, hint, error }}>
      {(control) => (
        <select
          {...select}
          {...control}
          value={value ?? ""}
          onChange={(event) => onChoose(choices.find(([choice]) => choice === event.target.value)?.[0])}
        >
          <Options value={value} none={none} choices={choices} />
        </select>
      )}
    </Field>
  )
}

/** By how much a text is too long: "2 characters too many"; undefined where it is not. */
export function formatExcess(count: number, limit: number): string | undefined {
  return count > limit ? `${plural(count - limit, "character")} too many` : undefined
}

/**
 * "131 / 4,000", and how much of the text is too long. Only the last tenth is announced, or a screen reader would read a number at every key.
 * `count` is in Unicode code points (`countCharacters`).
 */
export function CharacterCount({ count, limit }: { count: number; limit: number }) {
  const excess = formatExcess(count, limit)
  return (
    <span
      aria-live={count > limit * 0.9 ? "polite" : "off"}
      className={classes("small soft", excess !== undefined && "over")}
    >
      {formatNumber(count)} / {formatNumber(limit)}
      {excess !== undefined && ` · ${excess}`}
    </span>
  )
}
