import { lazy, Suspense, useState } from "react"
import { Button } from "../ui/button.tsx"
import { dues, groups, type ListAsk, priorities, queryOf, sorts } from "./list-address.ts"
import styles from "./work-list.module.css"

const SaveView = lazy(async () => ({ default: (await import("./save-view.tsx")).SaveView }))

/** Every other value is its own word. */
const words: Readonly<Record<string, string>> = { waiting: "Waiting longest", week: "Due this week" }
const sayValue = (value: string) => words[value] ?? value.charAt(0).toUpperCase() + value.slice(1)

type Change = (change: { [Name in keyof ListAsk]?: ListAsk[Name] | undefined }) => void
type Props = {
  ask: ListAsk
  /** Whose Work is open. */
  colleagues: readonly string[]
  onChange: Change
}

/** How the list is sorted, grouped and filtered, and a way to keep that as a view. */
export function ListControls({ ask, colleagues, onChange }: Props) {
  const [saving, setSaving] = useState(false)
  const chosen = ask.colleague
  const known = chosen === undefined || colleagues.includes(chosen) ? colleagues : [...colleagues, chosen]
  return (
    <div className={styles["controls"]}>
      <Choice name="Sort" value={ask.sort ?? "newest"} values={sorts} onChange={(sort) => onChange({ sort })} />
      <Choice name="Group" value={ask.group} none="None" values={groups} onChange={(group) => onChange({ group })} />
      <Choice
        name="Colleague"
        value={chosen}
        none="Any"
        values={known}
        wordOf={(id) => id}
        onChange={(colleague) => onChange({ colleague })}
      />
      <Choice
        name="Priority"
        value={ask.priority}
        none="Any"
        values={priorities}
        onChange={(priority) => onChange({ priority })}
      />
      <Choice name="Due" value={ask.due} none="Any" values={dues} onChange={(due) => onChange({ due })} />
      <Button kind="plain" size="small" onClick={() => setSaving(true)}>
        Save view
      </Button>
      {saving && (
        <Suspense>
          <SaveView query={queryOf(ask)} onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </div>
  )
}

type ChoiceProps<Value extends string> = {
  name: string
  value: Value | undefined
  /** The word for no choice; left out where there is always one. */
  none?: string
  values: readonly Value[]
  wordOf?: (value: Value) => string
  onChange: (value: Value | undefined) => void
}

function Choice<Value extends string>({ name, value, none, values, wordOf = sayValue, onChange }: ChoiceProps<Value>) {
  return (
    <label className={styles["control"]}>
      {name}
      <select
        value={value ?? ""}
        data-set={value !== undefined && none !== undefined}
        onChange={(event) => onChange(values.find((each) => each === event.target.value))}
      >
        {none !== undefined && <option value="">{none}</option>}
        {values.map((each) => (
          <option key={each} value={each}>
            {wordOf(each)}
          </option>
        ))}
      </select>
    </label>
  )
}
