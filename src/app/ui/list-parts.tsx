import styles from "./list.module.css"
import { Skeleton } from "./skeleton.tsx"

type ChoiceProps<Value extends string> = {
  name: string
  value: Value | undefined
  /** The word for no choice. Left out where a value is always chosen. */
  none?: string
  choices: readonly (readonly [value: Value, words: string])[]
  onChange: (value: Value | undefined) => void
}

/** A control that filters, sorts or groups a list. A value of the address that is no choice is shown as it is. */
export function Choice<Value extends string>({ name, value, none, choices, onChange }: ChoiceProps<Value>) {
  const isKnown = value === undefined || choices.some(([choice]) => choice === value)
  return (
    <label className={styles["control"]}>
      {name}
      <select
        value={value ?? ""}
        data-set={value !== undefined && none !== undefined}
        onChange={(event) => onChange(choices.find(([choice]) => choice === event.target.value)?.[0])}
      >
        {none !== undefined && <option value="">{none}</option>}
        {!isKnown && <option value={value}>{value}</option>}
        {choices.map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Rows that keep the layout still while a list is loaded. `what` names the list for assistive technology. */
export function PlaceholderRows({ what }: { what: string }) {
  return (
    <div aria-busy="true">
      <span className="visually-hidden">Loading {what}</span>
      {["62%", "48%", "70%", "55%", "40%", "66%", "50%", "58%"].map((width) => (
        <div key={width} className={styles["placeholder"]}>
          <Skeleton width="84px" />
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  )
}
